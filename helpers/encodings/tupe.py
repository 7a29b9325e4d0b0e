"""Positions that correlate with positions only: Ke et al. 2021, "TUPE"."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from helpers.encodings.absolute import rows_of
from helpers.encodings.base import Encoding
from helpers.encodings.bias import T5Bias
from helpers.encodings.positions import Positions


class Tupe(Encoding):
    """Adds the positions' own attention to that of the words: (q_i·k_j + p_i U_Q · p_j U_K)/√(2d).

    Args:
        relative: add T5's bias by offset (TUPE-R instead of TUPE-A).
        cls: the token at position 0 is [CLS]: for each head, its row of positional scores is the
            learned number θ_1 and its column θ_2 (section 3.2).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        relative: bool = False,
        cls: bool = False,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.softmax_scale = (2 * self.head_dim) ** -0.5  # two terms
        self.table = nn.Parameter(torch.randn(self.max_len, self.d_model))
        self.query = nn.Linear(self.d_model, self.d_model, bias=False)
        self.key = nn.Linear(self.d_model, self.d_model, bias=False)
        self.relative = T5Bias(self.d_model, self.num_heads) if relative else None
        # θ_1 from [CLS] to all, θ_2 from all others to [CLS].
        self.resets = nn.Parameter(torch.zeros(2, self.num_heads, 1, 1)) if cls else None

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return all terms but q·k, (H, T, S) or (B, H, T, S)."""
        self._check_table(positions.require_no_offsets(self).require_axes())
        queries, keys = (
            project(rows_of(self.table, each)).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)
            for project, each in ((self.query, positions.queries), (self.key, positions.keys))
        )  # (H, T, d) or (B, H, T, d)
        term = queries * self.softmax_scale @ keys.mT
        if self.relative is not None:
            term = term + self.relative.bias(q, k, positions)
        if self.resets is not None:
            from_cls, to_cls = self.resets
            term = torch.where((positions.keys == 0)[..., None, None, :], to_cls, term)
            term = torch.where((positions.queries == 0)[..., None, :, None], from_cls, term)
        return term
