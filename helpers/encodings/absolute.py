"""Encodings that add a vector to each token at the input of a model."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


class Additive(Encoding):
    """Adds to each token the vector of its position; a subclass says what the vectors are."""

    def vectors(self, positions: Tensor) -> Tensor:
        """Return the vector of each position, (…) → (…, D)."""
        raise NotImplementedError

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + vectors; (B, T, D) → (B, T, D)."""
        positions.require_no_offsets(self).require_axes()
        return x + self.vectors(positions.queries).to(x.dtype)


class Table(Additive):
    """Adds row p of `table` (max_len, D) to the token at position p."""

    table: Tensor

    def vectors(self, positions: Tensor) -> Tensor:
        """Return the rows of these positions, (…) → (…, D)."""
        return rows_of(self.table, positions)

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + rows; (B, T, D) → (B, T, D)."""
        self._check_table(positions)
        return super().embed(x, positions)


def rows_of(table: Tensor, positions: Tensor) -> Tensor:
    """Return the row of each position, (…) → (…, D).

    Raises:
        ValueError: a position has no row. CUDA raises a device-side assertion instead, as a check
            would have to wait for the GPU.
    """
    try:
        return F.embedding(positions, table)
    except IndexError:
        raise ValueError(
            f"positions go from {positions.min()} to {positions.max()}; they must be from 0 to "
            f"max_len − 1 = {len(table) - 1}"
        ) from None


class Learned(Table):
    """Learns the table: GPT (Radford et al. 2018) and BERT (Devlin et al. 2018, figure 2).

    Args:
        std: standard deviation of the initial values; 0.02 in the code of both papers.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, std: float = 0.02
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.table = nn.Parameter(torch.randn(max_len, d_model) * std)

    def reset_parameters(self, std: float = 0.02) -> None:
        """Draw the table anew."""
        nn.init.normal_(self.table, std=std)
