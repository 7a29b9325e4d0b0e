"""Forgetting Transformer: gates of the tokens in between reduce a score (Lin et al. 2025).

The paper's gates are linear in x, the input of a layer. A hook receives k = W_K x, so here they are
linear in the keys of all heads together: the same set of gates if W_K can be inverted. The paper is
causal. Keys to the right are treated as if the text were read backwards, the course's extension.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


class Fox(Encoding):
    """Adds Σ log f_l over l from j + 1 to i, where f_l is the gate of token l in a head."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.gate = nn.Linear(d_model, num_heads)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return the sum for each pair, (B, H, T, S)."""
        positions.require_no_offsets(self).require_axes()
        dtype = torch.promote_types(k.dtype, torch.float32)  # differences of large sums follow
        gates = self.gate(k.transpose(1, 2).flatten(2)).to(dtype)
        log_f = F.logsigmoid(gates).transpose(1, 2)  # (B, H, S)
        if positions.attention_mask is not None:  # padding between two tokens forgets nothing
            log_f = log_f.where(positions.attention_mask[:, None], 0)
        first = k.shape[2] - q.shape[2]  # column of the first query, behind cached keys
        to_here = log_f.cumsum(-1)
        before = to_here - log_f
        left = to_here[..., first:, None] - to_here[..., None, :]
        right = before[..., None, :] - before[..., first:, None]
        return (left.tril(first) + right.triu(first + 1)).to(q.dtype)
