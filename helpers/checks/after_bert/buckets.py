"""Unit 05, “T5's buckets”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Case, Exercise, Part, call


def _buckets(offsets: Tensor, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    """T5's bucket of each offset j − i, for text that is read in both directions."""
    bias = encodings.T5Bias(1, buckets=num_buckets, max_distance=max_distance)
    return bias.bucket(offsets)


def _both_sides(distances: list[int]) -> Tensor:
    return torch.tensor([sign * each for each in distances for sign in (-1, 1)])


def _clear(distances: range, num_buckets: int, max_distance: int) -> list[int]:
    """Those whose bucket does not hang on the last digit of a logarithm."""
    side, exact = num_buckets // 2, num_buckets // 4

    def fraction(each: int) -> float:
        return math.log(each / exact) / math.log(max_distance / exact) * (side - exact)

    return [n for n in distances if n <= exact or abs(fraction(n) - round(fraction(n))) > 1e-3]


def _near(rng: Random) -> Iterator[Case]:
    offsets = list(range(-7, 8))
    rng.shuffle(offsets)
    yield call(torch.tensor(offsets))


def _far(rng: Random) -> Iterator[Case]:
    yield call(_both_sides([8, *rng.sample(_clear(range(9, 127), 32, 128), 40)]))
    yield call(_both_sides(rng.sample(range(129, 1000), 12)).view(4, 6))


def _other_sizes(rng: Random) -> Iterator[Case]:
    num_buckets, max_distance = rng.choice(((16, 60), (20, 100), (40, 300), (64, 500)))
    some = rng.sample(_clear(range(1, 2 * max_distance), num_buckets, max_distance), 50)
    some.append(num_buckets // 4)  # where the far buckets begin
    yield call(_both_sides(some), num_buckets=num_buckets, max_distance=max_distance)
    close = _clear(range(1, 30), 32, 12)  # so near that far buckets hold less than one offset each
    yield call(_both_sides(close), num_buckets=32, max_distance=12)


buckets = Exercise(
    "buckets",
    _buckets,
    (
        Part("near: a bucket for each offset", 0.5, _near),
        Part("far: buckets that widen", 0.5, _far),
        Part("other numbers of buckets", 0.5, _other_sizes),
    ),
    forbidden=(encodings.T5Bias,),
)


@buckets.mistake(
    "Left and right have changed places. The offset is j − i: it is positive for a key to the "
    "right, and those keys have the upper half of the buckets."
)
def buckets_sides_swapped(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets < 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "Offset 0 is put on the right. Only offsets above 0 have the upper half; 0 has bucket 0.",
    loses="near: a bucket for each offset",
)
def buckets_zero_counts_as_right(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets >= 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "You look at the distance only, so left and right share their buckets. The right side has "
    "the upper half for itself."
)
def buckets_of_the_distance_only(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return torch.where(a < exact, a, far)


@buckets.mistake(
    "All your buckets go to the left and every key to the right is in bucket 0. That is T5's "
    "decoder; the encoder asked for here has half of them on each side."
)
def buckets_all_on_one_side(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets, num_buckets // 2
    a = (-offsets).clamp(min=0)
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return torch.where(a < exact, a, far)


@buckets.mistake(
    "Each offset has a bucket of its own until they run out. From the eighth on (with 32) a "
    "bucket holds several offsets, and more the further away it is.",
    loses=("far: buckets that widen", "other numbers of buckets"),
)
def buckets_clipped(offsets, num_buckets=32, max_distance=128):
    side = num_buckets // 2
    return side * (offsets > 0) + offsets.abs().clamp(max=side - 1)


@buckets.mistake(
    "Your far buckets are all equally wide. They should widen with the distance: the bucket is "
    "linear in the logarithm of the distance.",
    loses=("far: buckets that widen", "other numbers of buckets"),
)
def buckets_in_equal_steps(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a - exact).clamp(min=0) / (max_distance - exact)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "Your logarithm counts from distance 1. The far buckets begin at e, so both logarithms are "
    "of a distance divided by e.",
    loses=("far: buckets that widen", "other numbers of buckets"),
)
def buckets_logarithm_not_divided(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = a.clamp(min=1).log() / math.log(max_distance)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "Beyond max_distance your buckets go on and leave the side they belong to. All of those "
    "offsets share the last bucket of their side.",
    loses=("far: buckets that widen", "other numbers of buckets"),
)
def buckets_without_an_end(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).long()
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "You round to the nearest bucket. The formula rounds down.",
    loses=("far: buckets that widen", "other numbers of buckets"),
)
def buckets_rounded(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).round().long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "You round up to the next bucket. The formula rounds down.",
    loses=("far: buckets that widen", "other numbers of buckets"),
)
def buckets_rounded_up(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).ceil().long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake("You have num_buckets on each side. They are shared: a side has half of them.")
def buckets_as_many_on_each_side(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets, num_buckets // 2
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "Your far buckets are one too high: distance e, the first of them, has bucket e.",
    loses=("far: buckets that widen", "other numbers of buckets"),
)
def buckets_far_ones_begin_one_later(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + 1 + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "Your far buckets begin again at 0, where the near ones are. They follow on from them, at e.",
    loses=("far: buckets that widen", "other numbers of buckets"),
)
def buckets_far_ones_begin_at_zero(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "num_buckets and max_distance change nothing: numbers like 16, 8 or 128 are still written out.",
    loses="other numbers of buckets",
)
def buckets_sizes_ignored(offsets, num_buckets=32, max_distance=128):
    a = offsets.abs()
    far = (8 + (a.clamp(min=1) / 8).log() / math.log(16) * 8).long().clamp(max=15)
    return 16 * (offsets > 0) + torch.where(a < 8, a, far)
