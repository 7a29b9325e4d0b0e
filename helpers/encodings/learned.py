"""A learned vector per position: GPT (Radford et al. 2018), BERT (Devlin et al. 2018, figure 2)."""

from __future__ import annotations

import torch
from torch import nn

from helpers.encodings.absolute import Table


class Learned(Table):
    """Adds row p of a trained table to the token at position p; there are `max_len` rows.

    Args:
        std: standard deviation of the first values; both papers' code has 0.02.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, std: float = 0.02
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.table = nn.Parameter(torch.randn(max_len, d_model) * std)

    def reset_parameters(self, std: float = 0.02) -> None:
        """Begin as the other tables of a model."""
        nn.init.normal_(self.table, std=std)
