"""Positions counted by content: Golovneva et al. 2024, "Contextual Position Encoding"."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


def between(products: Tensor, positions: Tensor) -> Tensor:
    """Read columns of products, (…, T, P), at positions that need not be whole, (…, T, S).

    Interpolates linearly; positions are from 0 to P − 1. Returns (…, T, S).
    """
    below, above = positions.floor(), positions.ceil()
    share = positions - below
    low, high = (products.gather(-1, side.long()) for side in (below, above))
    return high * share + low * (1 - share)


class Cope(Encoding):
    """Counts positions by gates, which each query opens for each key.

    g_ij = σ(q_i·k_j/√d), p_ij = Σ g_im over m from j to i, and q_i·e[p_ij]/√d is added to the
    scaled score, where e is interpolated between its vectors. The paper is causal. In this course's
    extension a key to the right has the sum from i + 1 to j, and vectors of its own.

    Args:
        num_positions: P, number of vectors on a side, at least 1; p_ij is at most P − 1.
        causal: have no vectors for keys to the right, which must be masked.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        num_positions: int = 64,
        causal: bool = False,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        if num_positions < 1:
            raise ValueError(f"num_positions={num_positions} must be at least 1")
        self.causal = causal
        width = self.head_dim
        sides = 1 if causal else 2  # left, right
        self.vectors = nn.Parameter(torch.randn(sides, width, num_positions) * width**-0.5)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return q_i·e[p_ij], (B, H, T, S); the queries are taken for the last T of S tokens."""
        positions.require_no_offsets(self).require_axes()
        # Summed at least in float32: in bfloat16, 64 + 0.1 is 64.
        dtype = torch.promote_types(q.dtype, torch.float32)
        gates = (q @ k.transpose(-2, -1)).to(dtype).sigmoid()
        if positions.attention_mask is not None:  # padding between two tokens is not counted
            gates = gates.where(positions.attention_mask[:, None, None], 0)
        last = self.vectors.shape[-1] - 1
        first = k.shape[2] - q.shape[2]  # column of the first query, behind cached keys
        p = gates.tril(first).flip(-1).cumsum(-1).flip(-1).clamp(max=last)
        left = between(q @ self.vectors[0], p)
        if self.causal:
            return left.to(q.dtype)
        p = gates.triu(first + 1).cumsum(-1).clamp(max=last)
        right = between(q @ self.vectors[1], p)
        return (left.tril(first) + right.triu(first + 1)).to(q.dtype)
