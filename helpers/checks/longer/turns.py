"""Unit 10, “Who has seen every angle?”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from random import Random

import torch
from torch import Tensor

from helpers.checks.dtypes import with_dtype
from helpers.checks.engine import Case, Exercise, Part, call
from helpers.checks.longer import common


def turns_of(d_head: int, length: int, base: float = 10_000.0) -> tuple[Tensor, Tensor]:
    """Return T·θ_n/2π of each pair, (d/2,), and where that is at least 1."""
    found = length * common.theta(d_head, base) / (2 * math.pi)
    return found, found >= 1


def _asked(rng: Random) -> Iterator[Case]:
    """Ask with odd and even numbers of pairs, T below d and far beyond it, any kind of base."""
    for d_head in (12, 2, 2 * rng.randint(7, 15), 128):
        yield call(d_head, rng.randint(d_head + 1, 900))
        yield call(d_head, rng.randint(1, d_head), base=10 ** rng.uniform(1, 6))
        yield call(d_head, rng.randint(2000, 200_000), base=rng.randint(2, 50) * 10_000)
    for base in (rng.uniform(1.01, 1.9), 10 ** rng.uniform(7, 8)):
        yield call(10, rng.randint(20, 60), base=base)
    # Pair 2 of 4 makes just more or just less than one turn, so that T − 1 steps are too few.
    length = rng.randint(12, 19)
    for turns in (1.02, 0.98, 1.003, 0.997, 1.9, 0.55):
        yield call(8, length, base=(length / (2 * math.pi * turns)) ** 2)


def _how_many(rng: Random) -> Iterator[Case]:
    return (common.of_two(asked, 0, with_dtype) for asked in _asked(rng))


def _which(rng: Random) -> Iterator[Case]:
    bools = partial(with_dtype, dtypes=(torch.bool,))
    return (common.of_two(asked, 1, bools) for asked in _asked(rng))


turns = Exercise(
    "turns",
    turns_of,
    (Part("how many turns", 1, _how_many), Part("which pairs come round", 1, _which)),
    tolerance=1e-5,
    module=__name__,
)
