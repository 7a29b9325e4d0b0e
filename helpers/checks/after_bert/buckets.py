"""Unit 05, “T5's buckets”: what it asks, and what people write instead.

Subtler mistakes are in `buckets_borders`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call

NEAR, FAR = "near: a bucket for each offset", "far: buckets that widen"
SIZES = "other numbers of buckets"


def _buckets(offsets: Tensor, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    """T5's bucket of each offset j − i, for text that is read in both directions."""
    bias = encodings.T5Bias(1, buckets=num_buckets, max_distance=max_distance)
    return bias.bucket(offsets)


def _both_sides(rng: Random, distances: list[int]) -> Tensor:
    """Both offsets of each distance, in any order."""
    offsets = [sign * each for each in distances for sign in (-1, 1)]
    return torch.tensor(rng.sample(offsets, len(offsets)))


def _clear(distances: range, num_buckets: int, max_distance: int) -> list[int]:
    """Those whose bucket does not hang on the last digit of a logarithm."""
    side, exact = num_buckets // 2, num_buckets // 4

    def fraction(each: int) -> float:
        return math.log(each / exact) / math.log(max_distance / exact) * (side - exact)

    return [
        n
        for n in distances
        if n <= exact or n >= max_distance or abs(fraction(n) - round(fraction(n))) > 1e-4
    ]


def _typed(offsets: Tensor, *sizes: int, **options: int) -> Case:
    asked = call(offsets, *sizes, **options)

    def ask(answer: Answer) -> Any:
        found = asked.ask(answer)
        return {"its dtype": str(getattr(found, "dtype", "none")), "the buckets": found}

    return Case(asked.label, ask)


def _near(rng: Random) -> Iterator[Case]:
    offsets = torch.tensor(rng.sample(range(-7, 8), 15))
    yield _typed(offsets)
    yield _typed(offsets.flip(0))  # the same shape once more
    yield _typed(offsets.view(3, 5).T)
    p = torch.arange(rng.randint(6, 8))
    yield _typed((p[None, :] - p[:, None])[None])
    yield _typed((p[None, :] - p[:, None])[None, :, None])
    yield _typed(torch.zeros(rng.randint(2, 4), 0, dtype=torch.int64))
    for each in (offsets[0], offsets[1]):
        yield _typed(each)  # of shape ()


def _far(rng: Random) -> Iterator[Case]:
    yield _typed(_both_sides(rng, _clear(range(8, 150), 32, 128)))
    yield _typed(_both_sides(rng, [16, 32, 64, 127, 128, 129]))  # the first three begin a bucket
    # As many times 2¹⁶ and a little more: short integers would take these for near ones.
    wrapped = [2**16 * each + rng.randint(1, 60) for each in rng.sample(range(2, 16), 2)]
    beyond = [*rng.sample(range(130, 1000), 5), rng.randint(10**4, 10**5), *wrapped]
    beyond += [rng.randint(600_000, 10**6), 10**5 * rng.randint(1, 9) + rng.randint(1, 60)]
    near = rng.sample(_clear(range(9, 60), 32, 128), 10)
    yield _typed(_both_sides(rng, [*beyond, *near]).view(5, 2, 4))
    # The same for integers of 32 bits.
    far = [2**32 * each + rng.randint(1, 60) for each in rng.sample(range(1, 9), 3)]
    yield _typed(_both_sides(rng, [*far, 2**31 + rng.randint(1, 60)]))


def _other_sizes(rng: Random) -> Iterator[Case]:
    """Also so near a maximum that far buckets hold less than one offset each, and few buckets."""
    drawn = rng.sample(((16, 60), (20, 100), (40, 300), (28, 90), (12, 40)), 2)
    drawn += [(24, rng.randint(60, 300))]  # a quarter of which no float32 logarithm gives back
    few = ((8, 30), (4, 9), (4, 2))
    most = (4 * rng.randint(66, 120), rng.randint(1500, 2000))
    many = ((64, rng.randint(500, 900)), (128, rng.randint(200, 300)), most)
    for num_buckets, max_distance in (*drawn, (32, rng.choice((12, 13))), *few, *many):
        # The first of the far buckets begins at a quarter of them all.
        distances = _clear(range(1, 2 * max_distance), num_buckets, max_distance)
        distances = rng.sample(distances, min(600, len(distances)))
        offsets = _both_sides(rng, [*distances, max_distance * 10])
        yield _typed(offsets, num_buckets=num_buckets, max_distance=max_distance)
    yield _typed(_both_sides(rng, [3, 9, 40]), 24, 96)  # by position
    # Here ln a − ln e is just below what ln(a/e) is; at last, ln(a/e) · ((n − e)/ln(max/e)) is.
    borders = ((8, 32, 8), (32, 512, 64), (64, 256, 64), (64, 25, 20))
    for num_buckets, max_distance, distance in borders:
        offsets = torch.tensor([distance, -distance])
        yield _typed(offsets, num_buckets=num_buckets, max_distance=max_distance)
    for distance, max_distance in _just_before_a_border():
        offsets = torch.tensor([distance, -distance, distance + 1])
        yield _typed(offsets, num_buckets=32, max_distance=max_distance)


def _just_before_a_border() -> list[tuple[int, int]]:
    """Distances, and the maxima for which the logarithm is only just below a whole number."""
    return [
        (distance, max_distance)
        for max_distance in range(60, 300)
        for distance in range(9, max_distance)
        if 2e-4 < -math.log(distance / 8) / math.log(max_distance / 8) * 8 % 1 < 9e-4
        and distance + 1 in _clear(range(distance + 1, distance + 2), 32, max_distance)
    ]


buckets = Exercise(
    "buckets",
    _buckets,
    (Part(NEAR, 0.5, _near), Part(FAR, 0.5, _far), Part(SIZES, 0.5, _other_sizes)),
    forbidden=(encodings.T5Bias,),
    explains=("Write `buckets`.",),
)


@buckets.mistake(
    "Left and right have changed places. The offset is j − i: it is positive for a key to the "
    "right, and those keys have the upper half of the buckets.",
    breaks=("offset 16 in bucket 26", "T5's bucket of each offset j − i"),
)
def buckets_sides_swapped(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets < 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "Offset 0 is put on the right. Only offsets above 0 have the upper half; 0 has bucket 0.",
    loses=NEAR,
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
    "Each offset has a bucket of its own until they run out. With 32 buckets, those "
    "from bucket 8 on should hold several offsets each, the more the farther away they are.",
    loses=(FAR, SIZES),
)
def buckets_clipped(offsets, num_buckets=32, max_distance=128):
    side = num_buckets // 2
    return side * (offsets > 0) + offsets.abs().clamp(max=side - 1)


@buckets.mistake(
    "Your far buckets are all equally wide. They should widen with the distance: the bucket is "
    "linear in the logarithm of the distance.",
    loses=(FAR, SIZES),
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
    loses=(FAR, SIZES),
)
def buckets_logarithm_not_divided(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = a.clamp(min=1).log() / math.log(max_distance)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "Beyond max_distance your bucket numbers keep growing and leave the side they belong to. "
    "All of those offsets should share the last bucket of their side.",
    loses=(FAR, SIZES),
)
def buckets_without_an_end(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).long()
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "You round to the nearest bucket. The formula rounds down.",
    loses=(FAR, SIZES),
)
def buckets_rounded(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).round().long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "You round up to the next bucket. The formula rounds down.",
    loses=(FAR, SIZES),
)
def buckets_rounded_up(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).ceil().long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "You have num_buckets on each side. They are shared: a side has half of them.",
    breaks="counts both sides",
)
def buckets_as_many_on_each_side(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets, num_buckets // 2
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "Your far buckets are one too high: distance e, the first of them, has bucket e.",
    loses=(FAR, SIZES),
)
def buckets_far_ones_begin_one_later(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + 1 + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "Your far buckets start again at 0, where the near ones are. They should continue after "
    "those, at e.",
    loses=(FAR, SIZES),
)
def buckets_far_ones_begin_at_zero(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "num_buckets and max_distance change nothing: numbers like 16, 8 or 128 are still written out.",
    loses=SIZES,
    breaks="`max_distance` is the max of the formula",
)
def buckets_sizes_ignored(offsets, num_buckets=32, max_distance=128):
    a = offsets.abs()
    far = (8 + (a.clamp(min=1) / 8).log() / math.log(16) * 8).long().clamp(max=15)
    return 16 * (offsets > 0) + torch.where(a < 8, a, far)
