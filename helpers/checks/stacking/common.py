"""Unit 06: what several of its exercises draw and ask with."""

from __future__ import annotations

from random import Random

import torch
from torch import Generator, Tensor


def random_tree(rng: Random, shuffled: bool) -> Tensor:
    """Parents of a tree with a branch below the root's child, (T,)."""
    length = rng.randint(8, 12)
    parents = [-1, 0, 1, 1, *(rng.randrange(n) for n in range(4, length))]
    place = list(range(length))
    while shuffled and not mixed(parents, place):
        rng.shuffle(place)
    moved = [0] * length
    for word, parent in enumerate(parents):
        moved[place[word]] = -1 if parent < 0 else place[parent]
    return torch.tensor(moved)


def mixed(parents: list[int], place: list[int]) -> bool:
    """True where the root is neither first nor last, and words stand on both sides of parents."""
    to_the_right = {place[word] > place[parent] for word, parent in enumerate(parents) if word}
    # Words 2 and 3 hang on word 1, which must come after the one and before the other.
    apart = (place[2] - place[1]) * (place[3] - place[1]) < 0
    return place[0] not in (0, len(place) - 1) and len(to_the_right) == 2 and apart


def normal_numbers(rng: Random, *shape: int) -> Tensor:
    """Normal random numbers, float64."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(*shape, generator=draw, dtype=torch.float64)
