"""A learned vector per position: GPT (Radford et al. 2018), BERT (Devlin et al. 2018, figure 2)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.absolute import Table
from helpers.encodings.positions import Positions


class Learned(Table):
    """Adds row p of a trained table to the token at position p.

    Args:
        std: standard deviation of the first values; both papers' code has 0.02.
        beyond: what a sequence longer than `max_len` gets: "error", or "interpolate", which
            stretches the rows over it linearly.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        std: float = 0.02,
        beyond: str = "error",
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        if beyond not in ("error", "interpolate"):
            raise ValueError(f"beyond={beyond!r} must be 'error' or 'interpolate'")
        self.beyond = beyond
        self.table = nn.Parameter(torch.randn(max_len, d_model) * std)

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + rows, stretched over a longer text where `beyond` says so."""
        length = positions.keys.shape[0]
        if positions.whole and length > self.max_len and self.beyond == "interpolate":
            rows = F.interpolate(self.table.T[None], length, mode="linear", align_corners=True)
            return x + rows[0].T.to(x.dtype)
        return super().embed(x, positions)

    def reset_parameters(self, std: float = 0.02) -> None:
        """Begin as the other tables of a model."""
        nn.init.normal_(self.table, std=std)

    def _check_length(self, length: int) -> None:
        if length > self.max_len:
            raise ValueError(
                f"T={length} is beyond max_len={self.max_len}: there is no row to add; build a "
                "longer table or pass beyond='interpolate'"
            )
