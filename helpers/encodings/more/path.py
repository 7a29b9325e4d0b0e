"""PaTH: Householder matrices of the tokens in between change a key (Yang et al. 2025).

As in `fox`, w and β are linear in the keys of all heads together, where the paper has x, and keys
to the right are treated as if the text were read backwards.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


class Path(Encoding):
    """Multiplies a key by H_l = I − β_l w_l w_lᵀ of each token l from j + 1 to i.

    w has length 1, and 0 < β < 2; with β = 2, H would be a reflection. In the paper a projection of
    low rank and a short convolution make w.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.direction = nn.Linear(d_model, d_model, bias=False)
        self.strength = nn.Linear(d_model, num_heads)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return PaTH's logit minus q·k, (B, H, T, S); a loop over the tokens, so it is slow."""
        positions.require_no_offsets(self).require_axes()
        tokens = k.transpose(1, 2).flatten(2)  # keys of all heads side by side, (B, S, D)
        w = F.normalize(self.direction(tokens).unflatten(-1, (self.num_heads, -1)), dim=-1)
        beta = 2 * self.strength(tokens).sigmoid()  # (B, S, H)
        if positions.attention_mask is not None:  # padding between two tokens changes no key
            beta = beta.where(positions.attention_mask[..., None], 0)
        given = (k, w.transpose(1, 2), beta.transpose(1, 2)[..., None])
        left = _logits(q, *given)
        own = k.shape[2] - q.shape[2]  # the first query's column; cached keys come before it
        right = _logits(q.flip(2), *(each[:, :, own:].flip(2) for each in given)).flip(2, 3)
        right = F.pad(right, (own, 0))
        return left.tril(own) + right.triu(own + 1) - q @ k.mT


def _logits(q: Tensor, k: Tensor, w: Tensor, beta: Tensor) -> Tensor:
    """Return q_i · (H_i ⋯ H_{j+1} k_j) for j ≤ i, (B, H, T, S); the queries are the last T of S."""
    rows, own = [], k.shape[2] - q.shape[2]
    keys = k[:, :, :0]
    for i in range(k.shape[2]):
        w_i = w[:, :, i, :, None]
        keys = keys - beta[:, :, i, None] * (keys @ w_i) * w_i.mT
        keys = torch.cat([keys, k[:, :, i : i + 1]], 2)
        if i >= own:
            row = keys @ q[:, :, i - own, :, None]
            rows.append(F.pad(row[..., 0], (0, k.shape[2] - i - 1)))
    return torch.stack(rows, 2)
