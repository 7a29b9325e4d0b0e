"""Positions counted by content: Golovneva et al. 2024, "Contextual Position Encoding"."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


def between(products: Tensor, places: Tensor) -> Tensor:
    """Read the last axis at a place between two columns.

    Args:
        products: (…, T, P).
        places: (…, T, T), from 0 to P − 1, whole or not.

    Returns:
        (…, T, T): each place weighs the columns on its two sides by how near it is.
    """
    below, above = places.floor(), places.ceil()
    share = places - below
    low, high = (products.gather(-1, side.long()) for side in (below, above))
    return high * share + low * (1 - share)


class Cope(Encoding):
    """Each query opens a gate for each key; the position of a key is the sum of gates up to it.

    g_ij = σ(q_i·k_j/√d), p_ij = Σ g_im over m from j to i, and q_i·e[p_ij] is added, with e read
    between its rows. The paper is causal. Otherwise a key to the right counts the gates on its own
    side, and has vectors of its own: the course's extension.

    Args:
        num_positions: P, number of vectors a side, at least 1; a larger count uses the last.
        causal: only keys to the left are counted; the others must be masked.
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
        """q_i·e[p_ij], (B, H, T, S).

        Positions do not count, only which tokens come between. The queries are the last T of S.
        """
        positions.require_no_offsets(self).require_axes()
        # Counted at least in float32: bfloat16 has no 0.1 beside 64.
        exact = torch.promote_types(q.dtype, torch.float32)
        gates = (q @ k.transpose(-2, -1)).to(exact).sigmoid()
        last = self.vectors.shape[-1] - 1
        own = k.shape[2] - q.shape[2]  # the first query's column; cached keys come before it
        counted = gates.tril(own).flip(-1).cumsum(-1).flip(-1).clamp(max=last)
        left = between(q @ self.vectors[0], counted)
        if self.causal:
            return left.to(q.dtype)
        counted = gates.triu(own + 1).cumsum(-1).clamp(max=last)
        right = between(q @ self.vectors[1], counted)
        found = torch.where(torch.ones_like(gates, dtype=torch.bool).tril(own), left, right)
        return found.to(q.dtype)
