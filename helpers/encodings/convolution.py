"""Heads that act as a convolution: Cordonnier et al. 2020, theorem 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


class Convolution(Encoding):
    """Quadratic encoding: head h looks at the key whose offset δ is nearest to its centre Δ_h.

    The score is −α|δ − Δ_h|². The paper's, v_h·r_δ with v_h = −α(1, −2Δ_h) and r_δ = (|δ|², δ),
    differs by a constant, to which the softmax is invariant. As α grows, H heads become a
    convolution with H taps.

    Args:
        columns: None for a text; for an image that is read row by row, the length of a row, at
            least 1. Then H must be a square, and the centres begin as a √H × √H kernel.
        sharpness: initial value of α.
        content: add the bias to q·k; otherwise it is the whole score, as in the theorem.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        columns: int | None = None,
        sharpness: float = 1.0,
        content: bool = False,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        if columns is not None and columns < 1:
            raise ValueError(f"columns={columns} must be at least 1")
        side = self.num_heads if columns is None else round(self.num_heads**0.5)
        if columns is not None and side**2 != self.num_heads:
            raise ValueError(f"num_heads={self.num_heads} must be a square for an image, as 4 or 9")
        self.columns, self.content = columns, content
        taps = torch.arange(side) - side // 2
        centres = taps[:, None] if columns is None else torch.cartesian_prod(taps, taps)
        self.centres = nn.Parameter(centres.to(torch.get_default_dtype()))  # (H, axes)
        self.sharpness = nn.Parameter(torch.full((self.num_heads, 1), float(sharpness)))

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        """Return zeros, so that q·k is 0, unless `content`."""
        return (q, k) if self.content else (torch.zeros_like(q), torch.zeros_like(k))

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return −α|δ − Δ_h|², (H, T, S) or (B, H, T, S); positions may be rows and columns."""
        if self.columns is None:
            delta = positions.offsets[..., None]  # (T, S, 1) or (B, 1, T, S, 1)
            delta = delta if delta.dim() == 3 else delta[:, 0]
        else:
            positions.require_no_offsets(self).require_axes(2)
            i, j = (  # a row and a column, or the number of a patch
                x if x.dim() == 3 else torch.stack([x // self.columns, x % self.columns], -1)
                for x in (positions.queries, positions.keys)
            )
            delta = j[..., None, :, :] - i[..., :, None, :]  # (…, T, S, 2)
        # At least in float32, and not by the paper's product r_δ·v_h, which autocast would round.
        dtype = torch.promote_types(self.centres.dtype, torch.float32)
        from_centre = delta.to(dtype)[..., None, :] - self.centres.to(dtype)  # (…, T, S, H, axes)
        bias = -self.sharpness[:, 0].to(dtype) * from_centre.square().sum(-1)
        return bias.movedim(-1, -3).to(q.dtype)
