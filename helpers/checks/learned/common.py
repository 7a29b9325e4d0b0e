"""Unit 03: what several of its exercises draw and ask with."""

from __future__ import annotations

import math
from random import Random
from typing import Any
from zlib import crc32

import torch
from torch import Generator, Tensor, nn


def normal_numbers(rng: Random, *shape: int) -> Tensor:
    """Normal random numbers, float32."""
    return torch.randn(shape, generator=Generator().manual_seed(rng.randrange(2**31)))


def random_positions(rng: Random, below: int, *shape: int) -> Tensor:
    """Random positions, in no order."""
    return torch.randint(below, shape, generator=Generator().manual_seed(rng.randrange(2**31)))


def about(value: float, wanted: float) -> str:
    """`wanted` in words where `value` is within a tenth of it, else `value` in words."""
    return f"{wanted if abs(value - wanted) < wanted / 10 else value:.3g}"


def with_fixed_weights(module: nn.Module, seed: int) -> Any:
    """Weights that depend on their names only, so that two modules compute the same."""
    for name, weight in module.named_parameters():
        if name.startswith("mlp"):
            draw = Generator().manual_seed(crc32(name.encode()) + seed)
            weight.data = torch.randn(weight.shape, generator=draw) / math.sqrt(weight.shape[-1])
    return module
