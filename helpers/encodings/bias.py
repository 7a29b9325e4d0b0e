"""A learned number per offset, added to the score: the plain clipped bias, a window, and T5."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.offsets import clip, toeplitz
from helpers.encodings.positions import Positions


class OffsetBias(Encoding):
    """What the biases share: a number for each offset is added to the scaled score."""

    def by_offset(self, offsets: Tensor) -> Tensor:
        """The number of each offset j − i, for each head; (…) → (H, …)."""
        raise NotImplementedError

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """The numbers of every pair, (H, T, S) or (B, H, T, S)."""
        if positions.whole:  # 2T − 1 offsets instead of T² pairs
            length = q.shape[2]
            each = torch.arange(1 - length, length, device=q.device)
            return toeplitz(self.by_offset(each), length).to(q.dtype)
        found = self.by_offset(positions.offsets)  # (H, T, S), or (H, B, 1, T, S)
        return (found if found.dim() == 3 else found[:, :, 0].transpose(0, 1)).to(q.dtype)


class ClippedBias(OffsetBias):
    """A learned number per head and offset from −k to k; further ones share the outermost.

    Args:
        k: the largest offset with a number of its own; not negative.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, k: int = 8) -> None:
        super().__init__(d_model, num_heads, max_len)
        if k < 0:
            raise ValueError(f"k={k} must not be negative")
        self.k = k
        self.table = nn.Parameter(torch.zeros(num_heads, 2 * k + 1))

    def by_offset(self, offsets: Tensor) -> Tensor:
        """b[head, clip(j − i)]."""
        return self.table[:, clip(offsets, self.k) + self.k]


class Window(ClippedBias):
    """Only keys at most k away are seen; the learned bias among them begins at 0.

    With the bias left at 0 this is the paper's one-dimensional convolutional self-attention.
    """

    def by_offset(self, offsets: Tensor) -> Tensor:
        """b[head, j − i], −∞ beyond k."""
        return super().by_offset(offsets).masked_fill(offsets.abs() > self.k, float("-inf"))


class T5Bias(OffsetBias):
    """Raffel et al. 2020, section 2.1: a learned number per head and bucket; scores unscaled.

    Half of a side's buckets hold one offset each, the others grow as logarithms up to
    `max_distance`; all beyond share the last.

    Args:
        buckets: both sides together where `causal` is false; at least 4, or 2 if causal.
        max_distance: distance from which on all share the last bucket; must exceed the number of
            exact buckets a side.
        causal: no bucket for keys to the right.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        buckets: int = 32,
        max_distance: int = 128,
        causal: bool = False,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.softmax_scale = 1.0  # the initial W_Q is divided by √d instead
        self.side = buckets if causal else buckets // 2
        self.exact = self.side // 2
        if self.exact < 1:
            raise ValueError(f"buckets={buckets} is too few: 4, or 2 if causal, is the least")
        if max_distance <= self.exact:
            raise ValueError(f"max_distance={max_distance} must be beyond {self.exact}")
        self.max_distance, self.causal = max_distance, causal
        self.table = nn.Parameter(torch.zeros(self.num_heads, buckets))

    def bucket(self, offsets: Tensor) -> Tensor:
        """Bucket of each offset j − i, the same shape, int64."""
        distance = (-offsets).clamp(min=0) if self.causal else offsets.abs()
        right = 0 if self.causal else self.side * (offsets > 0).long()
        log_share = (distance.clamp(min=1).float() / self.exact).log() / math.log(
            self.max_distance / self.exact
        )
        far = self.exact + (log_share * (self.side - self.exact)).long()
        near = distance < self.exact
        return right + torch.where(near, distance, far.clamp(max=self.side - 1))

    def by_offset(self, offsets: Tensor) -> Tensor:
        """b[head, bucket(j − i)]."""
        return self.table[:, self.bucket(offsets)]
