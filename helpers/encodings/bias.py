"""Encodings that add a number to each score by its offset: a clipped bias, a window, and T5's."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.offsets import clip, toeplitz
from helpers.encodings.positions import Positions


class OffsetBias(Encoding):
    """Adds a number to each scaled score by its offset; a subclass says which."""

    def by_offset(self, offsets: Tensor) -> Tensor:
        """Return each head's number for offsets j − i, (…) → (H, …)."""
        raise NotImplementedError

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return the number of each pair, (H, T, S) or (B, H, T, S)."""
        if positions.whole:  # 2T − 1 offsets instead of T² pairs
            length = q.shape[2]
            offsets = torch.arange(1 - length, length, device=q.device)
            return toeplitz(self.by_offset(offsets), length).to(q.dtype)
        bias = self.by_offset(positions.offsets)  # (H, T, S), or (H, B, 1, T, S)
        return (bias if bias.dim() == 3 else bias[:, :, 0].transpose(0, 1)).to(q.dtype)


class ClippedBias(OffsetBias):
    """Adds a learned number per head and offset from −k to k; further offsets share the outermost.

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
        """Return b[head, clip(j − i)]."""
        return self.table[:, clip(offsets, self.k) + self.k]


class Window(ClippedBias):
    """Lets a query see only keys at most k away, and adds a learned bias among these.

    With the bias at 0, where it begins, this is the one-dimensional convolutional self-attention of
    Yang et al. 2019 (1904.03107).
    """

    def by_offset(self, offsets: Tensor) -> Tensor:
        """Return b[head, j − i], −∞ beyond k."""
        return super().by_offset(offsets).masked_fill(offsets.abs() > self.k, float("-inf"))


class T5Bias(OffsetBias):
    """T5 (Raffel et al. 2020, section 2.1): adds a learned number per head and bucket of offsets.

    Scores are not divided by √d. Of the buckets for keys to the left, and of those for keys to the
    right, the first half hold one distance each. The others are equally wide on a logarithmic scale
    that ends at `max_distance`; the last one, from 91 on for the defaults, holds all beyond, too.

    Args:
        buckets: number of buckets, on both sides together; at least 4, or 2 if causal.
        max_distance: more than the number of distances that have a bucket each.
        causal: all buckets are for keys to the left.
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
        self.max_exact = self.side // 2
        if self.max_exact < 1:
            raise ValueError(f"buckets={buckets} is too few: 4, or 2 if causal, is the least")
        if max_distance <= self.max_exact:
            raise ValueError(
                f"max_distance={max_distance} must exceed {self.max_exact}, the number of buckets "
                "with one offset on each side"
            )
        self.max_distance, self.causal = max_distance, causal
        self.table = nn.Parameter(torch.zeros(self.num_heads, buckets))

    def bucket(self, offsets: Tensor) -> Tensor:
        """Return the bucket of each offset j − i, the same shape, int64."""
        distance = (-offsets).clamp(min=0) if self.causal else offsets.abs()
        right = 0 if self.causal else self.side * (offsets > 0).long()
        log_share = (distance.clamp(min=1).float() / self.max_exact).log() / math.log(
            self.max_distance / self.max_exact
        )
        far = self.max_exact + (log_share * (self.side - self.max_exact)).long()
        near = distance < self.max_exact
        return right + torch.where(near, distance, far.clamp(max=self.side - 1))

    def by_offset(self, offsets: Tensor) -> Tensor:
        """Return b[head, bucket(j − i)]."""
        return self.table[:, self.bucket(offsets)]
