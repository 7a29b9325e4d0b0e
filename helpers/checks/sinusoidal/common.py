"""Unit 02: the sizes and bases that its exercises draw."""

from __future__ import annotations

from random import Random


def large_base(rng: Random) -> float:
    """A base well above the paper's, one of too many to work out beforehand."""
    return float(rng.randint(20_000, 90_000))


def small_base(rng: Random) -> float:
    """A base below 13, no whole number."""
    return rng.randint(2, 12) + rng.choice([0.25, 0.5, 0.75])


def even_widths(rng: Random) -> tuple[int, int]:
    """Two D from 10 to 24: one is a multiple of 4, the other is not."""
    return 4 * rng.randint(3, 6), 4 * rng.randint(2, 5) + 2


def odd_widths(rng: Random) -> tuple[int, int]:
    """Two D from 9 to 23: 1 and 3 beyond a multiple of 4."""
    return 4 * rng.randint(2, 5) + 1, 4 * rng.randint(2, 5) + 3


def random_length(rng: Random) -> int:
    """How many positions, more than the widths above."""
    return rng.randint(26, 60)


def short_length(rng: Random) -> int:
    """How many positions, fewer than the widths above."""
    return rng.randint(3, 8)


def long_length(rng: Random) -> int:
    """How many positions, more than half precision can count (2048): for D up to 4.

    With so small a D the angles of float32 are still within the tolerance.
    """
    return rng.randint(2_600, 2_900)
