"""Positions made by what is read on the way: FoX forgets, PaTH reflects, token by token.

In both papers gates and directions are linear in what a layer reads, x. The hooks see keys of it,
so here they are linear in the keys of all heads together: the same functions of x wherever W_K can
be inverted, with other parameters. Both papers are causal. Keys to the right are treated as if the
text were read backwards: the course's extension.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


class _OnTheWay(Encoding):
    """What stands between a query and a key counts, and nothing else: queries are the last keys."""

    def _read(self, k: Tensor) -> Tensor:
        """Keys of all heads side by side, (B, H, S, d) → (B, S, D)."""
        return k.transpose(1, 2).flatten(2)


class Fox(_OnTheWay):
    """The forgetting Transformer: each token has a gate in each head, behind which keys fade.

    The score of key j for query i gets Σ log f_l over l from j + 1 to i.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.gate = nn.Linear(d_model, num_heads)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """What has been forgotten on the way, (B, H, T, S).

        Raises:
            ValueError: positions have several axes, or offsets are given.
        """
        positions.not_given(self).one_axis()
        # What is long forgotten is a large sum; in bfloat16 its differences were off by nats.
        exact = torch.promote_types(k.dtype, torch.float32)
        gates = F.logsigmoid(self.gate(self._read(k)).to(exact)).transpose(1, 2)  # (B, H, S)
        length = q.shape[2]
        own = k.shape[2] - length
        through = gates.cumsum(-1)  # a sum with the token's own gate, and without
        before = through - gates
        left = through[..., own:, None] - through[..., None, :]
        right = before[..., None, :] - before[..., own:, None]
        seen = torch.ones(length, k.shape[2], dtype=torch.bool, device=k.device).tril(own)
        return torch.where(seen, left, right).to(q.dtype)


class Path(_OnTheWay):
    """PaTH: each token on the way changes the key by I − β w wᵀ, with a w and a β of its own.

    With β = 2 it is a reflection. w has length 1 and is linear in x; in the paper a projection of
    low rank and a short convolution make it.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.direction = nn.Linear(d_model, d_model, bias=False)
        self.strength = nn.Linear(d_model, num_heads)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """What the way adds to q·k, (B, H, T, S); one token after the other, so it is slow.

        Raises:
            ValueError: positions have several axes, or offsets are given.
        """
        positions.not_given(self).one_axis()
        read = self._read(k)
        w = F.normalize(self.direction(read).unflatten(-1, (self.num_heads, -1)), dim=-1)
        beta = 2 * self.strength(read).sigmoid()  # (B, S, H)
        steps = (w.transpose(1, 2), beta.transpose(1, 2)[..., None])
        left = _on_the_way(q, k, *steps)
        back = [each.flip(2) for each in (k, *steps)]
        own = k.shape[2] - q.shape[2]
        # Read backwards, a query has keys to its right only; those of a cache are to its left.
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
