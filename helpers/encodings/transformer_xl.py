"""Sinusoids of the offset, projected: Dai et al. 2019, "Transformer-XL", section 3.3."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.offsets import skew_padded
from helpers.encodings.positions import Positions
from helpers.encodings.sinusoidal import angles, sinusoids


class TransformerXL(Encoding):
    """Adds q·W_R R_{i−j} + u·k + v·W_R R_{i−j} to q·k.

    R is the sinusoidal vector of the offset, so any length can be read; W_R, u and v are learned.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.project = nn.Linear(d_model, d_model, bias=False)
        self.u = nn.Parameter(torch.zeros(num_heads, 1, self.head_dim))
        self.v = nn.Parameter(torch.zeros(num_heads, 1, self.head_dim))

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return all terms but q·k, (B, H, T, S)."""
        by_content = self.u * self.softmax_scale @ k.mT
        q = q + self.v * self.softmax_scale
        if positions.whole:
            # i − j from T − 1 to 1 − T, in the order of j − i; then −T, for the column of `skew`.
            length = q.shape[2]
            distances = torch.arange(length - 1, -length - 1, -1, device=q.device)
            rows = self.project(sinusoids(distances, self.d_model).to(q.dtype))
            heads = rows.unflatten(-1, (self.num_heads, -1)).permute(1, 2, 0)  # (H, d, 2T)
            return skew_padded(q @ heads) + by_content
        projected = q @ self.project.weight.unflatten(0, (self.num_heads, -1))  # (B, H, T, D)
        if positions.given_offsets is None:
            return self._by_angles(projected, positions.require_axes()) + by_content
        # One R for each pair (i, j): W_R is applied to q, not to every R.
        vectors = sinusoids(-positions.offsets, self.d_model).to(q.dtype)
        vectors = vectors[None] if vectors.dim() == 3 else vectors[:, 0]  # (B or 1, T, S, D)
        return torch.einsum("bhtd,btsd->bhts", projected, vectors) + by_content

    def _by_angles(self, projected: Tensor, positions: Positions) -> Tensor:
        """Return projected·R_{i−j}, (B, H, T, S), by R_i and R_j, without a vector for each pair.

        sin(i − j)ω and cos(i − j)ω are sums of products of the sines and cosines of iω and jω.
        """
        # (T,) or (B, 1, T), for all heads; with (1, T) each head would have a product of its own.
        places = [p if p.dim() == 1 else p[:, None] for p in (positions.queries, positions.keys)]
        i, j = (angles(p, self.d_model) for p in places)
        of_sin, of_cos = F.pad(projected, (0, self.d_model % 2)).unflatten(-1, (-1, 2)).unbind(-1)
        sin, cos = i.sin().to(projected), i.cos().to(projected)
        rotated = torch.cat([of_cos * sin - of_sin * cos, of_sin * sin + of_cos * cos], -1)
        return rotated @ torch.cat([j.sin(), j.cos()], -1).to(projected).mT
