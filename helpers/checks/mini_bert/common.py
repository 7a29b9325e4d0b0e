"""Unit 08: what several of its exercises draw and ask with."""

from __future__ import annotations

from random import Random

from torch import Generator


def generator(rng: Random) -> Generator:
    """A torch generator whose seed `rng` draws."""
    return Generator().manual_seed(rng.randrange(2**31))
