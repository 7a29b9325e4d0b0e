"""A vector for every offset, read without an index: Huang et al. 2018, "Music Transformer"."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.offsets import skew_padded
from helpers.encodings.positions import Positions


class Huang(Encoding):
    """QEᵀ, skewed: unclipped, so 2·max_len − 1 vectors a head and nothing beyond.

    Args:
        causal: the paper's form: offsets to the left only, max_len vectors a head; what stands to
            the right of a query gets 0 and must be masked.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, causal: bool = False
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.causal = causal
        rows = self.max_len if causal else 2 * self.max_len - 1
        width = self.head_dim
        # Row r is offset r − (max_len − 1).
        self.table = nn.Parameter(torch.randn(self.num_heads, rows, width) * width**-0.5)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """q_i·e_{j−i}, (B, H, T, S); offsets of anything but a whole text are gathered.

        Raises:
            ValueError: T is beyond `max_len`; on a CPU also an offset that was given.
        """
        self._check_table(positions)
        if not positions.whole:
            return self._gathered(q, positions.offsets)
        length = q.shape[2]
        used = self.table[:, self.max_len - length : self.max_len - 1 + length]
        # To 2T rows: in the causal form none is to the right, and the last one is never read.
        padded = F.pad(used, (0, 0, 0, 2 * length - used.shape[1]))
        return skew_padded(q @ padded.transpose(-2, -1))

    def _gathered(self, q: Tensor, offsets: Tensor) -> Tensor:
        rows = offsets + self.max_len - 1
        if self.causal:  # none is to the right; what is read there must be masked
            rows = rows.clamp(max=self.max_len - 1)
        products = q @ self.table.transpose(-2, -1)
        try:
            return products.gather(-1, rows.expand(*q.shape[:3], -1))
        except RuntimeError:  # on a CPU gather checks the range; a check before would stop a GPU
            furthest = int(offsets.abs().max())
            if furthest < self.max_len:
                raise
            raise ValueError(f"an offset of {furthest} is beyond max_len={self.max_len}") from None
