"""A vector for each offset: Huang et al. 2018, "Music Transformer"."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.offsets import skew_padded
from helpers.encodings.positions import Positions


class Huang(Encoding):
    """Adds QEᵀ, skewed: offsets are not clipped, and each head has a vector per offset.

    Args:
        causal: as in the paper, have no vectors for keys to the right, which must be masked.
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
        """Return q_i·e_{j−i}, (B, H, T, S)."""
        self._check_table(positions)
        if positions.whole:
            length = q.shape[2]
            used = self.table[:, self.max_len - length : self.max_len - 1 + length]
            # 2T rows: the offsets from 1 − T to T − 1, of which the positive ones are zeros if
            # causal; and zeros for the column that `skew` adds.
            padded = F.pad(used, (0, 0, 0, 2 * length - used.shape[1]))
            return skew_padded(q @ padded.mT)
        offsets = positions.offsets
        rows = offsets + self.max_len - 1
        if self.causal:
            rows = rows.clamp(max=self.max_len - 1)
        try:
            return (q @ self.table.mT).gather(-1, rows.expand(*q.shape[:3], -1))
        except RuntimeError:  # on a CPU; CUDA raises a device-side assertion
            furthest = int(offsets.abs().max())
            if furthest < self.max_len:
                raise
            raise ValueError(f"an offset of {furthest} is beyond max_len={self.max_len}") from None
