"""Content and position asked by each other: He et al. 2021, "DeBERTa", equations 2 to 4."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


class Deberta(Encoding):
    """Disentangled attention: Qc·Kc + Qc_i·Kr_δ(i,j) + Kc_j·Qr_δ(j,i), over √(3d).

    Kr and Qr are projections of one learned vector per clipped distance δ(i, j) = i − j + k.

    Args:
        k: half the number of distances that have a vector, at least 1; 512 in the paper.
        index: "paper" asks the third term at δ(j, i), as equation 4 has it; "code" at δ(i, j), as
            the published code does.
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
        """δ of i − j (equation 3): 0 up to −k, 2k − 1 from k on, i − j + k between."""
        return (distance + self.k).clamp(0, 2 * self.k - 1)

    def _heads(self, project: nn.Linear) -> Tensor:
        """(H, d, 2k), the projected vectors."""
        return project(self.vectors).unflatten(-1, (self.num_heads, -1)).permute(1, 2, 0)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """The second and third term of equation 4, (B, H, T, S)."""
        distance = -positions.offsets  # i − j
        rows = self.delta(distance).expand(*q.shape[:3], -1)
        to_position = (q @ self._heads(self.key)).gather(-1, rows)
        # Gathered as (S, T), key first, and transposed at the end.
        asked = self.delta(-distance if self.index == "paper" else distance).transpose(-2, -1)
        asks = k * self.softmax_scale @ self._heads(self.query)
        to_content = asks.gather(-1, asked.expand(*k.shape[:3], -1))
        return to_position + to_content.transpose(-2, -1)
