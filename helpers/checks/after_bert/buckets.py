"""Unit 05, “T5's buckets”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from random import Random

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.dtypes import with_dtype
from helpers.checks.engine import DTYPE, Case, Exercise, Part, call


def _buckets(offsets: Tensor, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    """Return T5's bucket of each offset j − i, for text that is read in both directions."""
    bias = encodings.T5Bias(1, buckets=num_buckets, max_distance=max_distance)
    return bias.bucket(offsets)


def _both_sides(rng: Random, distances: Sequence[int]) -> Tensor:
    """Return both offsets of each distance, in any order."""
    offsets = [sign * each for each in distances for sign in (-1, 1)]
    return torch.tensor(rng.sample(offsets, len(offsets)))


def _clear(num_buckets: int, max_distance: int) -> list[int]:
    """Return distances whose bucket does not hang on the last digit of a logarithm."""
    side, exact = num_buckets // 2, num_buckets // 4

    def is_clear(distance: int) -> bool:
        share = math.log(distance / exact) / math.log(max_distance / exact) * (side - exact)
        return abs(share - round(share)) > 1e-4

    between = filter(is_clear, range(exact + 1, max_distance))
    return [*range(1, exact + 1), *between, *range(max_distance, 2 * max_distance)]


def _typed(offsets: Tensor, *sizes: int, **options: int) -> Case:
    return call(offsets, *sizes, **options).map(partial(with_dtype, dtypes=(torch.int64,)))


def _near(rng: Random) -> Iterator[Case]:
    offsets = torch.tensor(rng.sample(range(-7, 8), 15))
    yield _typed(offsets)
    yield _typed(offsets.view(3, 5).T)
    p = torch.arange(rng.randint(6, 8))
    yield _typed((p[None, :] - p[:, None])[None, :, None])
    yield _typed(torch.zeros(rng.randint(2, 4), 0, dtype=torch.int64))
    yield _typed(offsets[0])  # of shape ()


def _far(rng: Random) -> Iterator[Case]:
    yield _typed(_both_sides(rng, _clear(32, 128)))
    yield _typed(_both_sides(rng, [16, 32, 64, 127, 128, 129]))  # the first three begin a bucket
    beyond = [*rng.sample(range(130, 1000), 5), rng.randint(10**5, 10**6)]
    yield _typed(_both_sides(rng, beyond).view(3, 2, 2))


def _other_sizes(rng: Random) -> Iterator[Case]:
    """Ask also with few buckets, and so many that some far ones hold no offset at all."""
    drawn = rng.sample(((16, 60), (20, 100), (40, 300), (28, 90), (12, 40)), 2)
    drawn += [(24, rng.randint(60, 300)), (32, 12), (8, 30), (4, 9), (4, 2)]
    drawn += [(64, rng.randint(500, 900)), (4 * rng.randint(66, 120), rng.randint(1500, 2000))]
    for num_buckets, max_distance in drawn:
        distances = _clear(num_buckets, max_distance)
        distances = rng.sample(distances, min(600, len(distances)))
        offsets = _both_sides(rng, [*distances, max_distance * 10])
        yield _typed(offsets, num_buckets=num_buckets, max_distance=max_distance)
    yield _typed(_both_sides(rng, [3, 9, 40]), 24, 96)  # by position
    # Distances that begin a bucket, where other orders of the formula come out just below it: a
    # difference of logarithms at the first, a factor for both divisions, a product at the last.
    for num_buckets, max_distance, distance in ((48, 588, 84), (64, 25, 20), (20, 160, 40)):
        offsets = torch.tensor([distance, -distance])
        yield _typed(offsets, num_buckets=num_buckets, max_distance=max_distance)


buckets = Exercise(
    "buckets",
    _buckets,
    (
        Part("near: a bucket for each offset", 0.5, _near),
        Part("far: buckets that widen", 0.5, _far),
        Part("other numbers of buckets", 0.5, _other_sizes),
    ),
    forbidden=(encodings.T5Bias,),
    generic={"as an int64 tensor of the same shape": DTYPE},
    module=__name__,
)
