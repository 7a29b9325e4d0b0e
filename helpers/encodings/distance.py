"""Biases that depend on the distance |j − i|: ALiBi, Kerple and FIRE."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.bias import OffsetBias
from helpers.encodings.positions import Positions


def alibi_slopes(
    num_heads: int, dtype: torch.dtype = torch.float64, device: torch.device | None = None
) -> Tensor:
    """Return 2^(−8h/H) for h = 1 … H if H is a power of 2 (Press et al. 2022, section 3), (H,).

    Otherwise, as in the authors' code, all slopes for P heads, where P is the largest power of 2
    below H, and then the first, third, fifth … of those for 2P heads.
    """
    below = 2 ** int(math.log2(num_heads))
    head = torch.arange(1, num_heads + 1, dtype=dtype, device=device)
    return 2 ** (-8 * torch.where(head <= below, head, head - below - 0.5) / below)


class Alibi(OffsetBias):
    """ALiBi (Press et al. 2022): adds −m·|j − i| with a fixed slope m per head.

    Args:
        form: "causal" is the paper's, with keys to the right masked out; "symmetric" has the same
            slope for both sides; "directional" falls twice as fast to the right.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, form: str = "symmetric"
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        if form not in ("symmetric", "directional", "causal"):
            raise ValueError(f"form={form!r} must be 'symmetric', 'directional' or 'causal'")
        self.form = form

    def by_offset(self, offsets: Tensor) -> Tensor:
        """Return −m·|j − i|; `form` decides what keys to the right get."""
        dtype = torch.float64 if offsets.device.type == "cpu" else torch.float32
        distance = offsets.abs().to(dtype)
        if self.form == "directional":
            distance = torch.where(offsets > 0, 2 * distance, distance)
        elif self.form == "causal":
            distance = distance.masked_fill(offsets > 0, float("inf"))
        slopes = alibi_slopes(self.num_heads, dtype, offsets.device)
        return -slopes.view(-1, *[1] * offsets.dim()) * distance


class Kerple(OffsetBias):
    """Kerple (Chi et al. 2022): adds a kernel of the distance with learned r1, r2 > 0 per head.

    Without a causal mask it cannot tell left from right.

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

    def by_offset(self, offsets: Tensor) -> Tensor:
        """Return the kernel of |j − i|; `raw` may have any sign, r1 and r2 are positive."""
        dtype = torch.promote_types(self.raw.dtype, torch.float32)
        raw1, raw2 = self.raw.view(2, -1, *[1] * offsets.dim())
        r1, distance = raw1.exp().to(dtype), offsets.abs().to(dtype)
        if self.form == "log":
            return -r1 * (1 + raw2.exp().to(dtype) * distance).log()
        return -r1 * distance ** (2 * raw2.sigmoid()).to(dtype)


class Fire(Encoding):
    """FIRE (Li et al. 2023): adds f_h(ψ(i − j)/ψ(max(L, i))), where ψ(x) = log(c·x + 1).

    f, c and L are learned. The paper's model is causal. For keys to the right this course has
    f_h(−ψ(j − i)/ψ(max(L, j))).

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

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return the number of each pair, (H, T, S) or (B, H, T, S)."""
        offsets = positions.offsets
        i, j = positions.require_axes().queries[..., :, None], positions.keys[..., None, :]
        dtype = torch.promote_types(self.c.dtype, torch.float32)  # bfloat16 cannot hold 257
        largest = torch.maximum(torch.maximum(i, j).to(dtype), self.threshold.abs().to(dtype))
        largest = largest if largest.dim() == 2 else largest[:, None]  # (T, S) or (B, 1, T, S)
        psi = (self.c.abs() * offsets.abs().to(dtype) + 1).log()
        share = -offsets.sign() * (psi / (self.c.abs() * largest + 1).log())
        bias = self.f(share.to(self.c.dtype)[..., None])  # (T, S, H) or (B, 1, T, S, H)
        return (bias.movedim(-1, 0) if bias.dim() == 3 else bias[:, 0].movedim(-1, 1)).to(q.dtype)
