"""A penalty that grows with the distance: ALiBi, Kerple and FIRE."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from helpers.encodings.angles import finest
from helpers.encodings.base import Encoding
from helpers.encodings.bias import OffsetBias
from helpers.encodings.positions import Positions


def alibi_slopes(num_heads: int) -> Tensor:
    """2^(−8h/H) for h = 1 … H where H is a power of 2 (Press et al. 2022, section 3), (H,).

    Otherwise as the authors' code has it: the slopes of the power of 2 below, then every second
    one of the power of 2 above.
    """
    below = 2 ** int(math.log2(num_heads))
    slopes = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    slopes += [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * (num_heads - below), 2)]
    return torch.tensor(slopes, dtype=torch.float64, device="cpu")


class Alibi(OffsetBias):
    """Press et al. 2022: −m·|j − i| with a fixed slope m per head; nothing to learn.

    Args:
        form: "symmetric" cannot tell left from right; "directional" has keys to the right fall
            twice as fast; "causal" is the paper's, with keys to the right masked out.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, form: str = "symmetric"
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        if form not in ("symmetric", "directional", "causal"):
            raise ValueError(f"form={form!r} must be 'symmetric', 'directional' or 'causal'")
        self.form = form

    def by_offset(self, offsets: Tensor) -> Tensor:
        """−m·|j − i|, by form."""
        fall = offsets.abs().to(finest(offsets.device))
        if self.form == "directional":
            fall = torch.where(offsets > 0, 2 * fall, fall)
        elif self.form == "causal":
            fall = fall.masked_fill(offsets > 0, float("inf"))
        slopes = alibi_slopes(self.num_heads).to(fall, non_blocking=True)
        return -slopes.view(-1, *[1] * offsets.dim()) * fall


class Kerple(OffsetBias):
    """Chi et al. 2022: a kernel of the distance with two learned positive numbers per head.

    It sees the distance only, so without a causal mask it cannot tell left from right.

    Args:
        form: "log" is −r1·log(1 + r2·|j − i|), "power" is −r1·|j − i|^r2 with 0 < r2 < 2.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, form: str = "log"
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        if form not in ("log", "power"):
            raise ValueError(f"form={form!r} must be 'log' or 'power'")
        self.form = form
        self.raw = nn.Parameter(torch.randn(2, self.num_heads))

    def constants(self) -> tuple[Tensor, Tensor]:
        """r1 and r2, each (H,); kept positive by exp, and below 2 by a sigmoid."""
        first, second = self.raw
        return first.exp(), second.exp() if self.form == "log" else 2 * second.sigmoid()

    def by_offset(self, offsets: Tensor) -> Tensor:
        """The kernel of |j − i|."""
        exact = torch.promote_types(self.raw.dtype, torch.float32)
        first, second = (each.to(exact).view(-1, *[1] * offsets.dim()) for each in self.constants())
        distance = offsets.abs().to(exact)
        if self.form == "log":
            return -first * (1 + second * distance).log()
        return -first * distance**second


class Fire(Encoding):
    """Li et al. 2023: a learned function of the distance as a share of what can be seen.

    b_h(i, j) = f_h(ψ(i − j) / ψ(max(L, i))) with ψ(x) = log(c·x + 1). The paper's model is causal;
    here a key to the right gets a negative share, and max(L, i, j) divides, which for j ≤ i is the
    paper's formula.

    Args:
        threshold: initial value of L, in tokens; positive.
        hidden: width of the hidden layer of f.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        threshold: float = 512.0,
        hidden: int = 32,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        if threshold <= 0:
            raise ValueError(f"threshold={threshold:g} must be positive")
        self.c = nn.Parameter(torch.tensor(0.1))
        self.threshold = nn.Parameter(torch.tensor(float(threshold)))
        self.f = nn.Sequential(nn.Linear(1, hidden), nn.ReLU(), nn.Linear(hidden, self.num_heads))

    def share(self, positions: Positions) -> Tensor:
        """ψ(|i − j|)/ψ(max(L, i, j)), negative for keys to the right; (T, S) or (B, 1, T, S)."""
        offsets = positions.offsets
        i, j = positions.require_axes().queries[..., :, None], positions.keys[..., None, :]
        exact = torch.promote_types(self.c.dtype, torch.float32)  # bfloat16 has no 257
        furthest = torch.maximum(i, j).to(exact)  # (T, S) or (B, T, S)
        furthest = furthest if furthest.dim() == 2 else furthest[:, None]
        whole = torch.maximum(furthest, self.threshold.abs().to(exact))
        distance = offsets.abs().to(exact)
        share = (self.c.abs() * distance + 1).log() / (self.c.abs() * whole + 1).log()
        return (-offsets.sign() * share).to(self.c.dtype)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """f of the share, a number per head: it depends on i and j, so each pair is asked."""
        found = self.f(self.share(positions)[..., None])  # (T, S, H) or (B, 1, T, S, H)
        found = found.movedim(-1, 0) if found.dim() == 3 else found[:, 0].movedim(-1, 1)
        return found.to(q.dtype)
