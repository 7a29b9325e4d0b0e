"""Sinusoids of the offset, projected: Dai et al. 2019, "Transformer-XL", section 3.3."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.offsets import skew_padded
from helpers.encodings.positions import Positions
from helpers.encodings.sinusoidal import sinusoids


class TransformerXL(Encoding):
    """q·k + q·W_R R_{i−j} + u·k + v·W_R R_{i−j}: content and position, each asked by each.

    R is the sinusoidal vector of the offset, so any length can be read; W_R, u and v are learned.
    """

    vectors: Tensor

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        vectors = self._sinusoids(max_len).to(torch.get_default_dtype())
        self.register_buffer("vectors", vectors, persistent=False)
        self.project = nn.Linear(d_model, d_model, bias=False)
        self.u = nn.Parameter(torch.zeros(num_heads, 1, self.head_dim))
        self.v = nn.Parameter(torch.zeros(num_heads, 1, self.head_dim))

    def _sinusoids(self, length: int) -> Tensor:
        """R of the paper's i − j, from T − 1 down to −(T − 1) as j grows, and one not read."""
        return sinusoids(torch.arange(length - 1, -length - 1, -1), self.d_model)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """All but q·k, (B, H, T, S); offsets of anything but a whole text are gathered."""
        by_content = self.u * self.softmax_scale @ k.transpose(-2, -1)
        asking = q + self.v * self.softmax_scale
        if not positions.whole:
            return self._gathered(asking, positions.offsets) + by_content
        length = q.shape[2]
        if length <= self.max_len:
            vectors = self.vectors[self.max_len - length : self.max_len + length]
        else:
            vectors = self._sinusoids(length).to(q)
        return skew_padded(asking @ self._heads(vectors)) + by_content

    def _heads(self, vectors: Tensor) -> Tensor:
        """W_R of n vectors, (n, D) → (H, d, n)."""
        return self.project(vectors).unflatten(-1, (self.num_heads, -1)).permute(1, 2, 0)

    def _gathered(self, q: Tensor, offsets: Tensor) -> Tensor:
        """The term by position: one product with each offset that occurs, then read by offset."""
        occurring, rows = offsets.unique(return_inverse=True)
        products = q @ self._heads(sinusoids(-occurring, self.d_model).to(q))
        return products.gather(-1, rows.expand(*q.shape[:3], -1))
