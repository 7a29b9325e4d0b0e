"""Random tensors for questions, from a seed that the question's own generator draws."""

from __future__ import annotations

import math
from random import Random
from typing import Any
from zlib import crc32

import torch
from torch import Generator, Tensor, nn


def generator(rng: Random) -> Generator:
    """A generator of PyTorch's, for a question that draws several tensors."""
    return Generator().manual_seed(rng.randrange(2**31))


def normal(rng: Random, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Normal random numbers."""
    return torch.randn(shape, generator=generator(rng), dtype=dtype)


def integers(rng: Random, below: int, *shape: int) -> Tensor:
    """Random integers from 0 to `below` − 1, such as positions in no order."""
    return torch.randint(below, shape, generator=generator(rng))


def with_fixed_weights(module: nn.Module, *parts: str, seed: int = 0) -> Any:
    """Draw the weights of these parts, or of all, by their names alone: two modules have the same.

    Their size is such that a linear layer keeps that of what it is given.
    """
    for name, weight in module.named_parameters():
        if not parts or name.partition(".")[0] in parts:
            draw = Generator().manual_seed(crc32(name.encode()) + seed)
            width = weight.shape[-1] if weight.dim() > 1 else 1
            drawn = torch.randn(weight.shape, generator=draw) / math.sqrt(width)
            weight.data = drawn.to(weight.dtype)
    return module
