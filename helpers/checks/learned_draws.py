"""Unit 03: what its checks draw and say."""

from __future__ import annotations

from random import Random

import torch
from torch import Generator, Tensor


def drawn(rng: Random, *shape: int) -> Tensor:
    """Random numbers of size 1."""
    return torch.randn(shape, generator=Generator().manual_seed(rng.randrange(2**31)))


def places(rng: Random, below: int, *shape: int) -> Tensor:
    """Random positions, in no order."""
    return torch.randint(below, shape, generator=Generator().manual_seed(rng.randrange(2**31)))


def near(value: float, wanted: float) -> str:
    """`wanted` in words where `value` is within a tenth of it, else `value` in words."""
    return f"{wanted if abs(value - wanted) < wanted / 10 else value:.3g}"
