"""Encodings that add a vector to each token by its row and column, as to patches of an image."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from helpers.encodings.absolute import Additive, rows_of
from helpers.encodings.index_features import Fourier
from helpers.encodings.positions import Positions, in_float64


class Additive2d(Additive):
    """Adds to each token the vector of its row and column: `vectors` is given (…, 2).

    A position with one axis, such as a word's, serves as both row and column.
    """

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + vectors; (B, T, D) → (B, T, D)."""
        queries = positions.require_no_offsets(self).require_axes(2).queries
        if queries.dim() < 3:
            queries = torch.stack([queries, queries], -1)
        return x + self.vectors(queries).to(x.dtype)


class Learned2d(Additive2d):
    """Adds a learned vector for the row beside one for the column, each half as wide as a token.

    Args:
        max_len: number of rows, and of columns, that have a vector.
        std: standard deviation of the initial values.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, std: float = 0.02
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        half = self.d_model // 2
        self.rows = nn.Parameter(torch.randn(self.max_len, half) * std)
        self.columns = nn.Parameter(torch.randn(self.max_len, self.d_model - half) * std)

    def vectors(self, positions: Tensor) -> Tensor:
        """Return a row of each table, side by side; (…, 2) → (…, D)."""
        row, column = positions.unbind(-1)
        return torch.cat([rows_of(self.rows, row), rows_of(self.columns, column)], -1)

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + vectors; (B, T, D) → (B, T, D)."""
        self._check_table(positions)
        return super().embed(x, positions)

    def reset_parameters(self, std: float = 0.02) -> None:
        """Draw both tables anew."""
        nn.init.normal_(self.rows, std=std)
        nn.init.normal_(self.columns, std=std)


class Fourier2d(Additive2d, Fourier):
    """Learnable Fourier features of row and column: `Fourier` with W_r of shape (2, D_F/2)."""

    def __init__(self, *sizes: Any, **fourier: Any) -> None:
        super().__init__(*sizes, **fourier)
        self.frequencies = nn.Parameter(torch.randn(2, len(self.frequencies)) / self.gamma)

    def angles(self, positions: Tensor) -> Tensor:
        """Return (row, column)·W_r, (…, 2) → (…, D_F/2)."""
        # In float64, as autocast would have `@` in bfloat16, where rows 300 and 301 are equal.
        return in_float64(positions) @ in_float64(self.frequencies)
