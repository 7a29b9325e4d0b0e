"""Rotary position embedding, RoPE (Su et al. 2021), and its variants p-RoPE and xPos."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import torch
from torch import Tensor

from helpers.encodings.base import Encoding
from helpers.encodings.positions import WITHOUT_FLOAT64, Positions, in_float64


class Rotary(Encoding):
    """Rotates pairs of columns of q and k by p·θ_i, so that q·k depends on the offset alone.

    θ_i = base^(−2i/r) for the r = `rotary_dim` columns that are rotated; nothing is learned.

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
        *,
        base: float = 10_000.0,
        layout: str = "interleaved",
        partial_rotary_factor: float = 1.0,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        # Rounded first, as .58 · 100 is 57.99…
        self.rotary_dim = int(round(self.head_dim * partial_rotary_factor, 6))
        if layout not in ("interleaved", "halves"):
            raise ValueError(f"layout={layout!r} must be 'interleaved' or 'halves'")
        if not 2 <= self.rotary_dim <= self.head_dim or self.rotary_dim % 2:
            raise ValueError(
                f"a head of width {self.head_dim} with partial_rotary_factor="
                f"{partial_rotary_factor:g} has {self.rotary_dim} columns to rotate; it must have "
                f"an even number of them, from 2 to {self.head_dim}"
            )
        if base <= 0:
            raise ValueError(f"base={base:g} must be positive")
        self.layout, self.base = layout, base
        self.attention_factor = 1.0  # multiplies the rotated columns of q and of k, as in YaRN
        self.axis: list[int] | None = None  # which of several axes rotates each pair

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """Return θ of each pair in radians per position, (r/2,), or (B, 1, r/2) by text.

        `pair` is 0 … r/2 − 1 in float64, on the CPU if the device of `positions` has no float64. A
        subclass whose θ depends on `positions` should set `rerotate`, or a cache keeps keys that
        were rotated by an older θ.
        """
        return self.base ** (-2 * pair / self.rotary_dim)

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        """Rotate queries and keys, (B, H, T, d), by their positions.

        Cosines and sines are computed once for all layers, in float64 (see `in_float64`). θ is no
        buffer, which `model.half()` would round: angles in float16 would be the same at positions
        2,048 and 2,049.
        """
        cos_sin = positions.shared.get((self, q.dtype))
        if cos_sin is None:
            several = positions.queries.dim() == 3
            if several or positions.given_offsets is not None:
                positions.require_no_offsets(self).require_axes(self.axes)
            axis = self.axis if several else None
            device = "cpu" if q.device.type in WITHOUT_FLOAT64 else q.device
            pair = torch.arange(self.rotary_dim // 2, dtype=torch.float64, device=device)
            p = torch.cat([positions.queries[..., axis], positions.keys[..., axis]], -2)
            theta = self.frequencies(pair, positions).to(device)
            # (B or 1, 1, T + S, r/2): the same for all heads.
            angle = (p.to(device).double() * theta).unsqueeze(-3)
            cos, sin = self.attention_factor * angle.cos(), self.attention_factor * angle.sin()
            cos_sin = cos.to(q), sin.to(q)
            # Not if θ is learned: with activation checkpointing each layer needs its own graph.
            if not angle.requires_grad:
                positions.shared[self, q.dtype] = cos_sin
        q, k = self.apply_rotary(torch.cat([q, k], 2), *cos_sin).split([q.shape[2], k.shape[2]], 2)
        return q, k

    def apply_rotary(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Rotate the first r columns of x, (B, H, T, d), pair by pair; the others stay."""
        x, rest = x[..., : self.rotary_dim], x[..., self.rotary_dim :]
        interleaved = self.layout == "interleaved"
        a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
        pairs = (a * cos - b * sin, a * sin + b * cos)
        x = torch.stack(pairs, -1).flatten(-2) if interleaved else torch.cat(pairs, -1)
        return torch.cat([x, rest], -1) if rest.shape[-1] else x


class PRope(Rotary):
    """p-RoPE (Barbero et al. 2024): RoPE on the fastest pairs only.

    A `partial_rotary_factor` of `Rotary` does not do the same: it spreads the frequencies from the
    fastest to the slowest over fewer pairs.

    Args:
        p: fraction of the pairs that are rotated, from 0 to 1.
        sizes, rotary: sizes, `base` and `layout` of `Rotary`.
    """

    def __init__(self, *sizes: Any, p: float = 0.75, **rotary: Any) -> None:
        super().__init__(*sizes, **rotary)
        if not 0 <= p <= 1:
            raise ValueError(f"p={p:g} must be from 0 to 1")
        self.p = p

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """Return θ_n of RoPE, and 0 from pair p·r/2 on."""
        theta = super().frequencies(pair, positions)
        return theta * (pair < int(round(self.p * self.rotary_dim / 2, 6)))  # .58 · 50 is 28.999…


class XPos(Rotary):
    """xPos (Sun et al. 2022): RoPE, with pair n's part of the score times ζ_n^((i − j)/scale_base).

    The query is multiplied by ζ_n^(i/scale_base), the key by ζ_n^(−j/scale_base). Scores of keys to
    the right grow with the distance; the paper's causal mask hides them. The range of the dtype
    limits the length of a text, to 3,900 tokens in float16, 35,000 in bfloat16 and float32.

    Args:
        scale_base: 512 in the paper's code; at this offset pair n is multiplied by ζ_n.
        gamma: γ in ζ_n = (2n/d + γ)/(1 + γ); 0.4 in the paper.
    """

    rerotate = True  # positions are counted from the middle of the text

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        *,
        base: float = 10_000.0,
        layout: str = "interleaved",
        scale_base: float = 512.0,
        gamma: float = 0.4,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, base=base, layout=layout)
        if scale_base <= 0 or gamma <= 0:
            raise ValueError(f"scale_base={scale_base:g} and gamma={gamma:g} must be positive")
        self.scale_base, self.gamma = scale_base, gamma

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        """Rotate, then multiply by the factors, with positions from the middle of the text."""
        # The score of the first query and the last key is divided by this. It must not overflow,
        # even where a causal mask hides it.
        smallest = (self.gamma / (1 + self.gamma)) ** (k.shape[2] / self.scale_base)
        if smallest < torch.finfo(k.dtype).smallest_normal:
            raise ValueError(
                f"S={k.shape[2]} keys: the factors of xPos leave the range of {k.dtype}; take a "
                "larger scale_base, or another dtype"
            )
        q, k = super().rotate(q, k, positions)
        keys = positions.keys
        middle = (keys.amin(-1, keepdim=True) + keys.amax(-1, keepdim=True) + 1) // 2
        q_scale = self._scale(positions.queries - middle, q.dtype)
        return q * q_scale, k / self._scale(keys - middle, k.dtype)

    def _scale(self, positions: Tensor, dtype: torch.dtype) -> Tensor:
        """Return ζ_n^(p/scale_base) for each column of a head, (B or 1, 1, T, d)."""
        p = in_float64(positions)[..., None]
        pair = torch.arange(self.rotary_dim // 2, dtype=p.dtype, device=p.device)
        zeta = (2 * pair / self.rotary_dim + self.gamma) / (1 + self.gamma)
        # Clamped to the range of the dtype, as few tokens may stand far apart.
        end = -math.log(torch.finfo(dtype).smallest_normal)
        scale = (p * zeta.log() / self.scale_base).clamp(-end, end).exp()  # (…, T, d/2)
        interleaved = self.layout == "interleaved"
        scale = scale.repeat_interleave(2, -1) if interleaved else torch.cat([scale, scale], -1)
        return scale.unsqueeze(-3).to(positions.device, dtype)
