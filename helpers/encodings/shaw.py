"""Learned vectors by clipped offset: Shaw et al. 2018, equations 3 to 5."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.offsets import clip
from helpers.encodings.positions import Positions


class ShawKeys(Encoding):
    """Adds to the keys a vector for each offset from −k to k.

    e_ij = q_i·(k_j + a^K_ij)/√d with a^K_ij = w_clip(j−i, k). All heads share the vectors. Offsets
    beyond k share the outermost vector, so any length can be read.

    Args:
        k: the largest offset with a vector of its own; not negative.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, k: int = 8) -> None:
        super().__init__(d_model, num_heads, max_len)
        if k < 0:
            raise ValueError(f"k={k} must not be negative")
        self.k = k
        self.keys = self._vectors()

    def _vectors(self) -> nn.Parameter:
        width = self.head_dim
        return nn.Parameter(torch.randn(2 * self.k + 1, width) * width**-0.5)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return q_i·a^K_ij, (B, H, T, S), picked by offset from products with all 2k+1 vectors."""
        rows = clip(positions.offsets, self.k) + self.k
        products = q @ self.keys.mT  # (B, H, T, 2k+1)
        return products.gather(-1, rows.expand(*q.shape[:3], -1))


class Shaw(ShawKeys):
    """Adds a vector for each offset from −k to k to the keys, and another to the values.

    z_i = Σ_j α_ij (v_j + a^V_ij) with a^V_ij = w^V_clip(j−i, k).
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, k: int = 8) -> None:
        super().__init__(d_model, num_heads, max_len, k)
        self.values = self._vectors()

    def context(self, weights: Tensor, positions: Positions) -> Tensor:
        """Return Σ_j α_ij a^V_ij, (B, H, T, d): the weights are summed by offset first."""
        rows = clip(positions.offsets, self.k) + self.k
        by_offset = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        return by_offset.scatter_add(-1, rows.expand_as(weights), weights) @ self.values
