"""Rotary encoding: Su et al. 2021, "RoFormer", equations 13 to 15."""

from __future__ import annotations

import torch
from torch import Tensor

from helpers.encodings.base import Encoding

LAYOUTS = ("interleaved", "halves")


class Rotary(Encoding):
    """Turns pairs of columns of q and k by p·θ_i, so that q·k depends on the offset alone.

    θ_i = base^(−2i/r) for the r columns that are turned; nothing is learned.

    Args:
        base: 10,000 in the paper.
        layout: which columns make pair i: "interleaved", 2i and 2i+1, as in the paper and GPT-J;
            or "halves", i and i + r/2, as in Llama.
        fraction: share of a head's columns that are turned; the others carry no position.

    Raises:
        ValueError: the number of turned columns is odd or zero, or `layout` is neither.
    """

    frequencies: Tensor

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        base: float = 10_000.0,
        layout: str = "interleaved",
        fraction: float = 1.0,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        width = d_model // num_heads
        self.turned = int(width * fraction)
        if layout not in LAYOUTS:
            raise ValueError(f"layout={layout!r} must be one of {LAYOUTS}")
        if self.turned < 2 or self.turned % 2:
            raise ValueError(
                f"fraction={fraction:g} of a head of width {width} turns {self.turned} columns; "
                "it must be an even number of at least 2"
            )
        self.layout = layout
        exponents = torch.arange(0, self.turned, 2, dtype=torch.float64) / self.turned
        frequencies = (base**-exponents).to(torch.get_default_dtype())
        self.register_buffer("frequencies", frequencies, persistent=False)

    def rotate(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Turn queries and keys (B, H, T, d) by their positions; values are left alone."""
        # Angles in float32 at least: in half precision position 2,049 would be 2,048.
        exact = torch.promote_types(self.frequencies.dtype, torch.float32)
        positions = torch.arange(q.shape[2], device=q.device, dtype=exact)
        angles = torch.outer(positions, self.frequencies.to(exact))  # (T, r/2)
        cos, sin = angles.cos().to(q.dtype), angles.sin().to(q.dtype)
        return self._turn(q, cos, sin), self._turn(k, cos, sin)

    def _turn(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        turned, rest = x[..., : self.turned], x[..., self.turned :]
        if self.layout == "interleaved":
            a, b = turned[..., 0::2], turned[..., 1::2]
        else:
            a, b = turned.chunk(2, -1)
        pairs = (a * cos - b * sin, a * sin + b * cos)
        if self.layout == "interleaved":
            turned = torch.stack(pairs, -1).flatten(-2)
        else:
            turned = torch.cat(pairs, -1)
        return torch.cat([turned, rest], -1)
