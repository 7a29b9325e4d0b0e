"""Learned vectors by clipped offset: Shaw et al. 2018, equations 3 to 5."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.offsets import clip, offset_matrix


class Shaw(Encoding):
    """A vector for each offset from −k to k, added to the keys and, by option, to the values.

    e_ij = q_i·(k_j + a^K_ij)/√d and z_i = Σ_j α_ij (v_j + a^V_ij) with a_ij = w_clip(j−i, k). The
    vectors are shared by the heads. An offset beyond k uses the outermost vector, so any length
    can be read.

    Args:
        k: the largest offset with a vector of its own.
        values: add the value term (equation 3) as well as the key term (equation 4).

    Raises:
        ValueError: `k` is negative.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        k: int = 8,
        values: bool = False,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        if k < 0:
            raise ValueError(f"k={k} must not be negative")
        self.k = k
        width = d_model // num_heads
        self.keys = nn.Parameter(torch.randn(2 * k + 1, width) * width**-0.5)
        self.values = nn.Parameter(torch.randn(2 * k + 1, width) * width**-0.5) if values else None

    def _rows(self, length: int, offsets: Tensor | None, device: torch.device) -> Tensor:
        """Row of the table for each pair, (T, T) or (B, 1, T, T)."""
        if offsets is None:
            offsets = offset_matrix(length, device)
        rows = clip(offsets, self.k) + self.k
        return rows if rows.dim() == 2 else rows[:, None]

    def scores(self, q: Tensor, k: Tensor, offsets: Tensor | None = None) -> Tensor:
        """q_i·a^K_ij, (B, H, T, T): one product with 2k+1 vectors, then read by offset."""
        rows = self._rows(q.shape[2], offsets, q.device)
        products = q @ self.keys.T  # (B, H, T, 2k+1)
        return products.gather(-1, rows.expand(*q.shape[:3], -1))

    def context(self, weights: Tensor, offsets: Tensor | None = None) -> Tensor | None:
        """Σ_j α_ij a^V_ij, (B, H, T, d): weights are summed by offset, then one product."""
        if self.values is None:
            return None
        rows = self._rows(weights.shape[2], offsets, weights.device).expand_as(weights)
        by_offset = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        return by_offset.scatter_add(-1, rows, weights) @ self.values
