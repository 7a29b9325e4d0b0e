"""Positions that correlate with positions only: Ke et al. 2021, "TUPE"."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.bias import T5Bias
from helpers.encodings.positions import Positions


class Tupe(Encoding):
    """Untied absolute positions: (q_i·k_j + p_i U_Q · p_j U_K)/√(2d), words and places apart.

    Args:
        relative: add T5's bias by offset (TUPE-R instead of TUPE-A).
        cls: the token at position 0 is [CLS]: for each head, its row of positional scores is the
            learned number θ_1 and its column θ_2 (section 3.2).
        std: standard deviation of the table's initial vectors.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        relative: bool = False,
        cls: bool = False,
        std: float = 1.0,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        # Two terms of equal right, so 1/√(2d).
        self.softmax_scale = (2 * self.head_dim) ** -0.5
        self.table = nn.Parameter(torch.randn(self.max_len, self.d_model) * std)
        self.query = nn.Linear(self.d_model, self.d_model, bias=False)
        self.key = nn.Linear(self.d_model, self.d_model, bias=False)
        self.relative = T5Bias(self.d_model, self.num_heads) if relative else None
        # θ_1 from [CLS] to all, θ_2 from all others to [CLS].
        self.resets = nn.Parameter(torch.zeros(2, self.num_heads, 1, 1)) if cls else None

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """All that stands beside q·k: (H, T, S), or (B, H, T, S) where texts stand differently.

        Raises:
            ValueError: T is beyond `max_len`, positions have several axes, or offsets are given.
        """
        self._check_table(positions.require_no_offsets(self).require_axes())
        queries, keys = (
            project(self.table[places]).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)
            for project, places in ((self.query, positions.queries), (self.key, positions.keys))
        )  # (H, T, d)
        term = queries * self.softmax_scale @ keys.transpose(-2, -1)
        if self.relative is not None:
            term = term + self.relative.bias(q, k, positions)
        if self.resets is not None:
            from_cls, to_cls = self.resets
            term = torch.where((positions.keys == 0)[..., None, None, :], to_cls, term)
            term = torch.where((positions.queries == 0)[..., None, :, None], from_cls, term)
        return term
