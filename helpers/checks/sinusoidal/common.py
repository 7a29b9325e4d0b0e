"""Unit 02: what several of its exercises draw and ask with."""

from __future__ import annotations

from random import Random


def base(rng: Random) -> float:
    """Well away from the paper's, and too many to work out beforehand."""
    return float(rng.choice([rng.randint(50, 900), rng.randint(20_000, 90_000)]))


def even(rng: Random) -> int:
    return 2 * rng.randint(3, 12)


def length(rng: Random) -> int:
    return rng.randint(20, 60)
