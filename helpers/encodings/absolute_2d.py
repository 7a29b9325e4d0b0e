"""What is added to the input where a token has a row and a column, as a patch of an image has."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from helpers.encodings.absolute import Additive
from helpers.encodings.angles import finest
from helpers.encodings.index_features import Fourier
from helpers.encodings.positions import Positions


class Additive2d(Additive):
    """x + the vector of each token's row and column.

    Positions with one axis, as those of words, count on both axes.
    """

    def vectors_2d(self, positions: Tensor) -> Tensor:
        """(…, 2) → (…, D), the vector of each row and column."""
        raise NotImplementedError

    def vectors(self, positions: Tensor) -> Tensor:
        """(…) → (…, D), the vector of each position on the diagonal."""
        return self.vectors_2d(torch.stack([positions, positions], -1))

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + vectors; (B, T, D) → (B, T, D)."""
        if positions.queries.dim() < 3:
            return super().embed(x, positions)
        queries = positions.require_no_offsets(self).require_axes(2).queries
        return x + self.vectors_2d(queries).to(x.dtype)


class Learned2d(Additive2d):
    """A learned vector per row beside one per column, each half as wide as a token.

    Args:
        max_len: how many rows, and how many columns, have a vector.
        std: standard deviation of the first values.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, std: float = 0.02
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        half = self.d_model // 2
        self.rows = nn.Parameter(torch.randn(self.max_len, half) * std)
        self.columns = nn.Parameter(torch.randn(self.max_len, self.d_model - half) * std)

    def vectors_2d(self, positions: Tensor) -> Tensor:
        """A row of each table, side by side."""
        return torch.cat([self.rows[positions[..., 0]], self.columns[positions[..., 1]]], -1)

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """As `Additive`; a text beyond `max_len` is refused."""
        self._check_table(positions)
        return super().embed(x, positions)

    def reset_parameters(self, std: float = 0.02) -> None:
        """Begin as the other tables of a model."""
        nn.init.normal_(self.rows, std=std)
        nn.init.normal_(self.columns, std=std)


class Fourier2d(Additive2d, Fourier):
    """Learnable Fourier features of row and column together: each feature has its own direction.

    As `Fourier`, with W_r of shape (2, D_F/2).
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, **fourier: Any
    ) -> None:
        super().__init__(d_model, num_heads, max_len, **fourier)
        self.frequencies = nn.Parameter(torch.randn(2, len(self.frequencies)) / self.gamma)

    def vectors_2d(self, positions: Tensor) -> Tensor:
        """Equation 6, (…, 2) → (…, D)."""
        return self.norm(self.mlp(self.features(positions)))

    def angles(self, positions: Tensor) -> Tensor:
        """Row and column times W_r, (…, 2) → (…, D_F/2)."""
        exact = finest(positions.device)
        # No product of matrices: autocast would round rows 300 and 301 to one number.
        return (positions.to(exact)[..., None] * self.frequencies.to(exact)).sum(-2)
