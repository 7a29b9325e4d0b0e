"""Random tensors for questions, from a seed that the question's own generator draws."""

from __future__ import annotations

from random import Random

import torch
from torch import Generator, Tensor


def generator(rng: Random) -> Generator:
    """A generator of PyTorch's, for a question that draws several tensors."""
    return Generator().manual_seed(rng.randrange(2**31))


def normal(rng: Random, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Normal random numbers."""
    return torch.randn(shape, generator=generator(rng), dtype=dtype)


def integers(rng: Random, below: int, *shape: int) -> Tensor:
    """Random integers from 0 to `below` − 1, such as positions in no order."""
    return torch.randint(below, shape, generator=generator(rng))
