"""RoPE whose slowest pairs are not turned (Barbero et al. 2024)."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from helpers.encodings.positions import Positions
from helpers.encodings.rotary import Rotary


class PRope(Rotary):
    """p-RoPE: only the fastest pairs are turned, each as in RoPE; the slowest carry content.

    `rotary` with a `partial_rotary_factor` is not the same: it spaces the frequencies anew over
    fewer columns.

    Args:
        p: fraction of the pairs that are turned, from 0 to 1.
        rotary: `base` and `layout`, as `Rotary` has them.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, p: float = 0.75, **rotary: Any
    ) -> None:
        super().__init__(d_model, num_heads, max_len, **rotary)
        if not 0 <= p <= 1:
            raise ValueError(f"p={p:g} must be from 0 to 1")
        self.p = p

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """θ_n of RoPE, and 0 from pair p·r/2 on."""
        theta = super().frequencies(pair, positions)
        return theta * (pair < int(self.p * self.rotary_dim // 2))
