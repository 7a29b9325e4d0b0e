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
    module=__name__,
)
