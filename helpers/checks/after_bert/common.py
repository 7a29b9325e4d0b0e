"""Unit 05: what several of its exercises draw and ask with."""

from __future__ import annotations

from random import Random

import torch
from torch import Generator, Tensor

from helpers import encodings


def normal_numbers(rng: Random, *shape: int) -> Tensor:
    """Normal random numbers, float32."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(*shape, generator=draw)


def random_heads(rng: Random) -> Tensor:
    """(B, H, T, d) with four different sizes; d/2 is even, odd or 5."""
    return normal_numbers(rng, 2, 3, rng.choice((5, 7, 9)), rng.choice((8, 10, 12)))


def turned(x: Tensor, base: float = 10_000.0, layout: str = "interleaved") -> Tensor:
    """Pair n of the vector at position p turned by p·θ_n, (B, H, T, d)."""
    return encodings.Rotary(x.shape[-1], base=base, layout=layout).rotate(x, x)[0]
