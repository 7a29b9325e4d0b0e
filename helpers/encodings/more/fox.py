"""Forgetting Transformer: keys fade by gates that are read on the way (Lin et al. 2025).

The paper's gates are linear in x, what a layer reads. A hook receives k = W_K x, so here they are
linear in the keys of all heads together: the same functions of x wherever W_K can be inverted, with
other parameters. The paper is causal. Keys to the right are treated as if the text were read
backwards: the course's extension.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


class Fox(Encoding):
    """The forgetting Transformer: each token has a gate in each head, behind which keys fade.

    The score of key j for query i gets Σ log f_l over l from j + 1 to i.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.gate = nn.Linear(d_model, num_heads)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """What has been forgotten on the way, (B, H, T, S)."""
        positions.require_no_offsets(self).require_axes()
        # What is long forgotten is a large sum; in bfloat16 its differences were off by nats.
        exact = torch.promote_types(k.dtype, torch.float32)
        gates = F.logsigmoid(self.gate(k.transpose(1, 2).flatten(2)).to(exact)).transpose(
            1, 2
        )  # (B, H, S)
        length = q.shape[2]
        own = k.shape[2] - length
        through = gates.cumsum(-1)  # a sum with the token's own gate, and without
        before = through - gates
        left = through[..., own:, None] - through[..., None, :]
        right = before[..., None, :] - before[..., own:, None]
        seen = torch.ones(length, k.shape[2], dtype=torch.bool, device=k.device).tril(own)
        return torch.where(seen, left, right).to(q.dtype)
