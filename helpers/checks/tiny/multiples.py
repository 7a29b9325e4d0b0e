"""“Twice” and “three times”: each asks an answer about a few whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from helpers.checks.engine import Case, Exercise, Part, call


def double_of(x: int) -> int:
    """Return twice x."""
    return 2 * x


def triple_of(x: int) -> int:
    """Return three times x."""
    return 3 * x


def _positive(rng: Random) -> Iterator[Case]:
    yield call(rng.randint(1, 1_000))


def _negative(rng: Random) -> Iterator[Case]:
    yield call(-rng.randint(1, 1_000))


PARTS = (Part("positive numbers", 1, _positive), Part("negative numbers", 1, _negative))
double = Exercise("double", double_of, PARTS)
triple = Exercise("triple", triple_of, PARTS)
