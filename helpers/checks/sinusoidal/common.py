"""Unit 02: what several of its exercises draw and ask with."""

from __future__ import annotations

from random import Random


def random_base(rng: Random) -> float:
    """A base well away from the paper's, and too many to work out beforehand."""
    return float(rng.choice([rng.randint(50, 900), rng.randint(20_000, 90_000)]))


def even_width(rng: Random) -> int:
    """D, from 6 to 24."""
    return 2 * rng.randint(3, 12)


def random_length(rng: Random) -> int:
    """How many positions."""
    return rng.randint(20, 60)
