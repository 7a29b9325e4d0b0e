"""Queries and keys turned by their positions: RoPE (Su et al. 2021), and xPos on top of it."""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from torch import Tensor

from helpers.encodings.angles import angles
from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions

LAYOUTS = ("interleaved", "halves")
CosSin = tuple[Tensor, Tensor]


def for_heads(numbers: Tensor) -> Tensor:
    """(T, ·) as it is, (B, T, ·) as (B, 1, T, ·): the same for all heads of a text."""
    return numbers if numbers.dim() == 2 else numbers[:, None]


class Rotary(Encoding):
    """Turns pairs of columns of q and k by p·θ_i, so that q·k depends on the offset alone.

    θ_i = base^(−2i/r) for the r = `rotary_dim` columns that are turned; nothing is learned.

    Args:
        base: 10,000 in the paper.
        layout: which columns make pair i: "interleaved", 2i and 2i+1, as in the paper and GPT-J;
            or "halves", i and i + r/2, as in GPT-NeoX and in the Llama of transformers.
        partial_rotary_factor: r/d, with r even and at least 2; the other columns of a head carry no
            position.
    """

    axes: ClassVar[int] = 1

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        base: float = 10_000.0,
        layout: str = "interleaved",
        partial_rotary_factor: float = 1.0,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.rotary_dim = int(self.head_dim * partial_rotary_factor)
        if layout not in LAYOUTS:
            raise ValueError(f"layout={layout!r} must be one of {LAYOUTS}")
        if self.rotary_dim < 2 or self.rotary_dim % 2:
            raise ValueError(
                f"partial_rotary_factor={partial_rotary_factor:g} of a head of width "
                f"{self.head_dim} turns {self.rotary_dim} columns; it must be an even number of "
                "at least 2"
            )
        self.layout, self.base = layout, base
        self.attention_factor = 1.0  # multiplies the turned columns of q and of k, as in YaRN
        self.axis: list[int] | None = None  # of each pair, where positions have several axes

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """θ of each pair in radians per position, (r/2,), or (B, 1, r/2) to be each text's own.

        `pair` is 0 … r/2 − 1 in float64 on the CPU. A subclass whose θ depends on `positions`
        should set `rerotate`, or a cache keeps keys that were turned by an older θ.
        """
        return self.base ** (-2 * pair / self.rotary_dim)

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        """Turn queries and keys (B, H, T, d) by their positions; values are left alone."""
        if positions.queries.dim() == 3 or positions.given is not None:
            positions.require_no_offsets(self).require_axes(self.axes)
        of_queries, of_keys = positions.shared.get((self, q.dtype)) or self._cos_sin(q, positions)
        if positions.keys is positions.queries:  # both at once
            q, k = self.apply_rotary(torch.cat([q, k], 1), *of_queries).chunk(2, 1)
            return q, k
        return self.apply_rotary(q, *of_queries), self.apply_rotary(k, *of_keys)

    def _cos_sin(self, q: Tensor, positions: Positions) -> tuple[CosSin, CosSin]:
        """Cosines and sines for queries and for keys, (T, r/2) or (B, 1, T, r/2).

        All layers share them, but no two calls of a model do: in a buffer, θ would be rounded with
        the model, and in float16 position 2,049 would be 2,048.
        """
        pair = torch.arange(self.rotary_dim // 2, device="cpu", dtype=torch.float64)
        theta = self.frequencies(pair, positions)
        exact = torch.promote_types(q.dtype, torch.float32)
        axis = self.axis if positions.queries.dim() == 3 else None

        def of(places: Tensor) -> CosSin:
            angle = for_heads(angles(places[..., axis], theta, exact))
            cos, sin = angle.cos(), angle.sin()
            if self.attention_factor != 1:
                cos, sin = cos * self.attention_factor, sin * self.attention_factor
            return cos.to(q.dtype), sin.to(q.dtype)

        of_queries = of(positions.queries)
        same = positions.keys is positions.queries
        found = of_queries, of_queries if same else of(positions.keys)
        if not of_queries[0].requires_grad:  # two ways back would meet in what is shared
            positions.shared[self, q.dtype] = found
        return found

    def apply_rotary(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Turn the pairs of x, (B, H, T, d), by their angles; the other columns stay."""
        turned, rest = x[..., : self.rotary_dim], x[..., self.rotary_dim :]
        interleaved = self.layout == "interleaved"
        a, b = (turned[..., 0::2], turned[..., 1::2]) if interleaved else turned.chunk(2, -1)
        pairs = (a * cos - b * sin, a * sin + b * cos)
        turned = torch.stack(pairs, -1).flatten(-2) if interleaved else torch.cat(pairs, -1)
        return torch.cat([turned, rest], -1) if rest.shape[-1] else turned


class XPos(Rotary):
    """RoPE whose pairs also fade with the offset: pair n by ζ_n^((i − j)/scale_base).

    The query shrinks and the key grows with the position, so the score of a key to the left fades;
    that of a key to the right grows, which the paper's causal mask hides. The precision must have a
    number for both factors, which limits the length: to 7,900 tokens in float16, to 71,000 in
    bfloat16 and float32.

    Args:
        scale_base: 512 in the paper's code: at this offset pair n has faded by ζ_n.
        gamma: ζ_n = (2n/d + γ)/(1 + γ); 0.4 in the paper.
    """

    rerotate = True  # the middle of a text moves as it grows

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        base: float = 10_000.0,
        layout: str = "interleaved",
        scale_base: float = 512.0,
        gamma: float = 0.4,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, base, layout)
        self.scale_base, self.gamma = scale_base, gamma

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        """Turn, then scale queries down and keys up, counted from the middle of the text.

        Raises:
            ValueError: the text is so long that the precision has no number for a factor.
        """
        turned_q, turned_k = super().rotate(q, k, positions)
        fades = (self.gamma / (1 + self.gamma)) ** (k.shape[2] / 2 / self.scale_base)
        if fades < torch.finfo(k.dtype).smallest_normal:
            raise ValueError(
                f"S={k.shape[2]} keys: the factors of xPos leave the range of {k.dtype}; take a "
                "larger scale_base, or another precision"
            )
        keys = positions.keys
        middle = (keys.amin(-1, keepdim=True) + keys.amax(-1, keepdim=True) + 1) // 2
        of_q = self._scale(positions.queries - middle, q.dtype)
        return turned_q * of_q, turned_k / self._scale(keys - middle, k.dtype)

    def _scale(self, places: Tensor, dtype: torch.dtype) -> Tensor:
        """ζ_n^(p/scale_base) for each column of a head; (T, d) or (B, 1, T, d)."""
        pair = torch.arange(self.rotary_dim // 2, device="cpu", dtype=torch.float64)
        zeta = (2 * pair / self.rotary_dim + self.gamma) / (1 + self.gamma)
        exact = torch.promote_types(dtype, torch.float32)
        rate = (zeta.log() / self.scale_base).to(places.device, exact, non_blocking=True)
        # Where few tokens stand far apart, exponents are clamped to the range of the precision.
        end = -math.log(torch.finfo(dtype).smallest_normal)
        scale = (places[..., None] * rate).clamp(-end, end).exp()  # (…, T, d/2)
        interleaved = self.layout == "interleaved"
        scale = scale.repeat_interleave(2, -1) if interleaved else torch.cat([scale, scale], -1)
        return for_heads(scale).to(dtype)
