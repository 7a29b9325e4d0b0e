"""Sinusoids of the offset, projected: Dai et al. 2019, "Transformer-XL", section 3.3."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.angles import angles, finest
from helpers.encodings.base import Encoding
from helpers.encodings.offsets import skew_padded
from helpers.encodings.positions import Positions
from helpers.encodings.rotary import for_heads
from helpers.encodings.sinusoidal import sinusoids, wavelengths


class TransformerXL(Encoding):
    """q·k + q·W_R R_{i−j} + u·k + v·W_R R_{i−j}: content and position, each asked by each.

    R is the sinusoidal vector of the offset, so any length can be read; W_R, u and v are learned.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.project = nn.Linear(d_model, d_model, bias=False)
        self.u = nn.Parameter(torch.zeros(num_heads, 1, self.head_dim))
        self.v = nn.Parameter(torch.zeros(num_heads, 1, self.head_dim))

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """All but q·k, (B, H, T, S)."""
        by_content = self.u * self.softmax_scale @ k.transpose(-2, -1)
        asking = q + self.v * self.softmax_scale
        if positions.given is not None:
            return self._of_pairs(asking, positions.offsets) + by_content
        if not positions.whole:
            return self._of_places(asking, positions.require_axes()) + by_content
        # R of the paper's i − j, from T − 1 down to −(T − 1) as j grows, and one not read.
        length = q.shape[2]
        far = torch.arange(length - 1, -length - 1, -1, device=q.device)
        vectors = self.project(sinusoids(far, self.d_model).to(q.dtype))
        heads = vectors.unflatten(-1, (self.num_heads, -1)).permute(1, 2, 0)  # (H, d, 2T)
        return skew_padded(asking @ heads) + by_content

    def _asked(self, q: Tensor) -> Tensor:
        """W_Rᵀ q, so that its product with R is q·W_R R; (B, H, T, d) → (B, H, T, D)."""
        return q @ self.project.weight.unflatten(0, (self.num_heads, -1))

    def _of_pairs(self, q: Tensor, offsets: Tensor) -> Tensor:
        """The term by position for any offsets, (T, S) or (B, 1, T, S): a vector for each pair."""
        vectors = sinusoids(-offsets, self.d_model).to(q.dtype)
        vectors = vectors[None] if offsets.dim() == 2 else vectors[:, 0]  # (B or 1, T, S, D)
        return torch.einsum("bhtd,btsd->bhts", self._asked(q), vectors)

    def _of_places(self, q: Tensor, positions: Positions) -> Tensor:
        """The same where i and j are known: R_{i−j} is R_j turned by i, and so is what asks it."""
        theta = 2 * math.pi / wavelengths(self.d_model)
        i, j = (
            for_heads(angles(each[..., None], theta, finest(q.device)))
            for each in (positions.queries, positions.keys)
        )  # ([B, 1,] T, ⌈D/2⌉)
        asked = F.pad(self._asked(q), (0, self.d_model % 2)).unflatten(-1, (-1, 2))
        of_sin, of_cos = asked.unbind(-1)
        sin, cos = i.sin().to(q.dtype), i.cos().to(q.dtype)
        turned = torch.cat([of_cos * sin - of_sin * cos, of_sin * sin + of_cos * cos], -1)
        return turned @ torch.cat([j.sin(), j.cos()], -1).to(q.dtype).mT
