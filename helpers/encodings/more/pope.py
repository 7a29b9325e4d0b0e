"""Polar coordinate position embedding, PoPE (Gopalakrishnan et al. 2025)."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions, in_float64


class Pope(Encoding):
    """Makes each entry x_c a vector in the plane, of length softplus(x_c), at the angle p·θ_c.

    So content and position stay apart. In RoPE a pair of entries is the vector, so that content has
    a part in its angle. Keys are rotated by δ_c more, which each head learns; it is clamped to
    [−2π, 0], and gets no gradient outside.

    Args:
        base: θ_c = base^(−c/d); 10,000 in the paper.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, base: float = 10_000.0
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.base = base
        self.phase = nn.Parameter(torch.zeros(self.num_heads, 1, self.head_dim))

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        """Return lengths times cosines, and times sines; (B, H, T, d) → (B, H, T, 2d)."""
        positions.require_no_offsets(self).require_axes()
        delta = self.phase.clamp(-2 * math.pi, 0)
        return self._polar(q, positions.queries, 0.0), self._polar(k, positions.keys, delta)

    def _polar(self, x: Tensor, positions: Tensor, phase: Any) -> Tensor:
        dtype = torch.promote_types(x.dtype, torch.float32)
        p = in_float64(positions)[..., None]
        column = torch.arange(self.head_dim, dtype=p.dtype, device=p.device)
        angle = (p * self.base ** (-column / self.head_dim)).unsqueeze(-3)
        angle = (angle % (2 * math.pi)).to(x.device, dtype) + phase
        length = F.softplus(x)
        return torch.cat([length * angle.cos().to(x.dtype), length * angle.sin().to(x.dtype)], -1)
