"""Positions that correlate with positions only: Ke et al. 2021, "TUPE"."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.bias import T5Bias
from helpers.encodings.positions import Positions, in_order


class Tupe(Encoding):
    """Untied absolute positions: (q_i·k_j + p_i U_Q · p_j U_K)/√(2d), words and places apart.

    Args:
        relative: add T5's bias by offset (TUPE-R instead of TUPE-A).
        cls: the first token is [CLS], which stands nowhere: what it gives and gets is one learned
            number each (section 3.2).
        std: standard deviation of the first vectors; the projections keep their length.
    """

    paper = "Ke et al. 2021 (2006.15595), sections 3.1 and 3.2"
    formula = r"(q_i·k_j + (p_i U_Q)·(p_j U_K))/√(2d) [+ b_{j−i}]"

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
        self.table = nn.Parameter(torch.randn(max_len, d_model) * std)
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.relative = T5Bias(d_model, num_heads) if relative else None
        # θ_1 from [CLS] to all, θ_2 from all others to [CLS].
        self.resets = nn.Parameter(torch.zeros(2, num_heads, 1, 1)) if cls else None

    @property
    def scale(self) -> float:
        """Two terms of equal right, so 1/√(2d)."""
        return 1 / math.sqrt(2 * self.head_width)

    def scores(
        self, q: Tensor, k: Tensor, offsets: Tensor | None = None, at: Positions | None = None
    ) -> Tensor:
        """All that stands beside q·k: (H, T, S), or (B, H, T, S) where texts stand differently.

        Raises:
            ValueError: T is beyond `max_len`, or `offsets` is given.
        """
        if offsets is not None:
            raise ValueError("offsets must be None: TUPE's positions are absolute")
        if at is None:
            self._check_length(k.shape[2])
            at = in_order(q, k)
        queries, keys = (
            project(self.table[places]).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)
            for project, places in ((self.query, at.queries), (self.key, at.keys))
        )  # (H, T, d)
        term = queries @ keys.transpose(-2, -1)
        if self.relative is not None:
            term = term + self.relative.scores(q, k, at.offsets) / self.scale
        if self.resets is not None:
            from_cls, to_cls = self.resets / self.scale
            term = torch.where((at.keys == 0)[..., None, None, :], to_cls, term)
            term = torch.where((at.queries == 0)[..., None, :, None], from_cls, term)
        return term
