"""Disentangled attention: He et al. 2021, "DeBERTa", equations 2 to 4."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


class Deberta(Encoding):
    """Adds Qc_i·Kr_δ(i,j) + Kc_j·Qr_δ(j,i) to Qc_i·Kc_j, and divides by √(3d).

    Kr and Qr are projections of one learned vector per clipped distance δ(i, j) = i − j + k.

    Args:
        k: distances from −k to k − 1 have a vector each; at least 1; 512 in the paper.
        index: "paper" has δ(j, i) in the last term, as equation 4; "code" has δ(i, j), as the
            published code.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        k: int = 64,
        index: str = "paper",
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        if k < 1:
            raise ValueError(f"k={k} must be at least 1")
        if index not in ("paper", "code"):
            raise ValueError(f"index={index!r} must be 'paper' or 'code'")
        self.k, self.index = k, index
        self.softmax_scale = (3 * self.head_dim) ** -0.5  # three terms
        self.vectors = nn.Parameter(torch.randn(2 * k, self.d_model))
        self.query = nn.Linear(self.d_model, self.d_model, bias=False)
        self.key = nn.Linear(self.d_model, self.d_model, bias=False)

    def delta(self, distance: Tensor) -> Tensor:
        """Return δ for distances i − j (equation 3): i − j + k, from 0 to 2k − 1."""
        return (distance + self.k).clamp(0, 2 * self.k - 1)

    def _heads(self, project: nn.Linear) -> Tensor:
        """Return the projected vectors of each head, (H, d, 2k)."""
        return project(self.vectors).unflatten(-1, (self.num_heads, -1)).permute(1, 2, 0)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return the second and third term of equation 4, (B, H, T, S)."""
        distance = -positions.offsets  # i − j
        rows = self.delta(distance).expand(*q.shape[:3], -1)
        content_to_position = (q @ self._heads(self.key)).gather(-1, rows)
        # Gathered with a row for each key, (S, T), and transposed at the end.
        rows = self.delta(-distance if self.index == "paper" else distance).mT
        products = k * self.softmax_scale @ self._heads(self.query)
        position_to_content = products.gather(-1, rows.expand(*k.shape[:3], -1))
        return content_to_position + position_to_content.mT
