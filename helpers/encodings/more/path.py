"""PaTH: each token that is read on the way reflects the keys before it (Yang et al. 2025).

As in `fox`, directions and strengths are linear in the keys of all heads together, where the paper
has x; and keys to the right are treated as if the text were read backwards.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


class Path(Encoding):
    """PaTH: each token on the way changes the key by I − β w wᵀ, with a w and a β of its own.

    With β = 2 it is a reflection. w has length 1 and is linear in x; in the paper a projection of
    low rank and a short convolution make it.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.direction = nn.Linear(d_model, d_model, bias=False)
        self.strength = nn.Linear(d_model, num_heads)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """PaTH's logit minus q·k, (B, H, T, S); one token after the other, so it is slow."""
        positions.require_no_offsets(self).require_axes()
        read = k.transpose(1, 2).flatten(2)  # keys of all heads side by side, (B, S, D)
        w = F.normalize(self.direction(read).unflatten(-1, (self.num_heads, -1)), dim=-1)
        beta = 2 * self.strength(read).sigmoid()  # (B, S, H)
        steps = (w.transpose(1, 2), beta.transpose(1, 2)[..., None])
        left = _on_the_way(q, k, *steps)
        back = [each.flip(2) for each in (k, *steps)]
        own = k.shape[2] - q.shape[2]
        # The pass from the right needs the last T keys only: cached keys are never to the right.
        right = _on_the_way(q.flip(2), *(each[:, :, : q.shape[2]] for each in back)).flip(2, 3)
        right = F.pad(right, (own, 0))
        return left.tril(own) + right.triu(own + 1) - q @ k.transpose(-2, -1)


def _on_the_way(q: Tensor, k: Tensor, w: Tensor, beta: Tensor) -> Tensor:
    """q_i · (H_i ⋯ H_{j+1} k_j) for j ≤ i, (B, H, T, S); the queries are the last T of S."""
    rows, own = [], k.shape[2] - q.shape[2]
    changed = k[:, :, :0]
    for i in range(k.shape[2]):
        towards, much = w[:, :, i, :, None], beta[:, :, i, None]
        changed = changed - much * (changed @ towards) * towards.transpose(-2, -1)
        changed = torch.cat([changed, k[:, :, i : i + 1]], 2)
        if i >= own:
            row = changed @ q[:, :, i - own, :, None]
            rows.append(F.pad(row[..., 0], (0, k.shape[2] - i - 1)))
    return torch.stack(rows, 2)
