"""A number per offset, added to the score: T5, ALiBi, and the plain clipped bias."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.offsets import clip, offset_matrix


class OffsetBias(Encoding):
    """What the biases share: `bias(offsets)` is added to the scaled score.

    The hook is asked before scaling, so the bias is divided by the scale that follows.
    """

    def bias(self, offsets: Tensor) -> Tensor:
        """Bias of each offset j − i; (T, T) → (H, T, T), or (B, T, T) → (B, H, T, T)."""
        raise NotImplementedError

    def scores(self, q: Tensor, k: Tensor, offsets: Tensor | None = None) -> Tensor:
        """The bias of every pair, without looking at q or k beyond their length."""
        if offsets is None:
            offsets = offset_matrix(q.shape[2], q.device)
        return self.bias(offsets).to(q.dtype) / self.scale


class ClippedBias(OffsetBias):
    """A learned number per head and offset from −k to k; further ones share the outermost.

    Args:
        k: the largest offset with a number of its own.

    Raises:
        ValueError: `k` is negative.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, k: int = 8) -> None:
        super().__init__(d_model, num_heads, max_len)
        if k < 0:
            raise ValueError(f"k={k} must not be negative")
        self.k = k
        self.table = nn.Parameter(torch.zeros(num_heads, 2 * k + 1))

    def bias(self, offsets: Tensor) -> Tensor:
        """b[head, clip(j − i)]."""
        return self.table[:, clip(offsets, self.k) + self.k].movedim(0, -3)


class T5Bias(OffsetBias):
    """Raffel et al. 2020, section 2.1: a learned number per head and bucket; scores unscaled.

    Half of a side's buckets hold one offset each, the others grow as logarithms up to
    `max_distance`; all beyond share the last.

    Args:
        buckets: number of buckets, both sides together where `causal` is false.
        max_distance: offset from which on all share the last bucket.
        causal: no bucket for keys to the right.

    Raises:
        ValueError: too few buckets, or `max_distance` within the exact ones.
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
        self.side = buckets if causal else buckets // 2
        self.exact = self.side // 2
        if self.exact < 1:
            raise ValueError(f"buckets={buckets} is too few: 4, or 2 if causal, is the least")
        if max_distance <= self.exact:
            raise ValueError(f"max_distance={max_distance} must be beyond {self.exact}")
        self.max_distance, self.causal = max_distance, causal
        self.table = nn.Parameter(torch.zeros(num_heads, buckets))

    @property
    def scale(self) -> float:
        """T5 does not divide by √d; its initialisation does."""
        return 1.0

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

    def bias(self, offsets: Tensor) -> Tensor:
        """b[head, bucket(j − i)]."""
        return self.table[:, self.bucket(offsets)].movedim(0, -3)


def alibi_slopes(num_heads: int) -> Tensor:
    """2^(−8h/H) for h = 1 … H where H is a power of 2 (Press et al. 2022, section 3), (H,).

    Otherwise as the authors' code has it: the slopes of the power of 2 below, then every second
    one of the power of 2 above.
    """
    below = 2 ** int(math.log2(num_heads))
    slopes = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    slopes += [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * (num_heads - below), 2)]
    return torch.tensor(slopes, dtype=torch.float64)


class Alibi(OffsetBias):
    """Press et al. 2022: −m·|j − i| with a fixed slope m per head; nothing to learn.

    Args:
        form: "symmetric" cannot tell left from right; "directional" has keys to the right fall
            twice as fast; "causal" is the paper's, with keys to the right masked out.

    Raises:
        ValueError: `form` is none of these.
    """

    slopes: Tensor

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, form: str = "symmetric"
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        if form not in ("symmetric", "directional", "causal"):
            raise ValueError(f"form={form!r} must be 'symmetric', 'directional' or 'causal'")
        self.form = form
        slopes = alibi_slopes(num_heads).to(torch.get_default_dtype())
        self.register_buffer("slopes", slopes, persistent=False)

    def bias(self, offsets: Tensor) -> Tensor:
        """−m·|j − i|, by form."""
        fall = offsets.abs().to(self.slopes.dtype)
        if self.form == "directional":
            fall = torch.where(offsets > 0, 2 * fall, fall)
        elif self.form == "causal":
            fall = fall.masked_fill(offsets > 0, float("inf"))
        return -self.slopes[:, None, None] * fall.unsqueeze(-3)
