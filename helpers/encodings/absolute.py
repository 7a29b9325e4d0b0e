"""What is added to the input: one vector per position, whatever it is made of."""

from __future__ import annotations

from torch import Tensor

from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions


class Additive(Encoding):
    """x + the vector of each token's position; a subclass says what the vectors are."""

    def vectors(self, positions: Tensor) -> Tensor:
        """(…) → (…, D), the vector of each position."""
        raise NotImplementedError

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + vectors; (B, T, D) → (B, T, D)."""
        positions.require_no_offsets(self).require_axes()
        return x + self.vectors(positions.queries).to(x.dtype)


class Table(Additive):
    """A row of `table` (max_len, D) per position, and none beyond."""

    table: Tensor

    def vectors(self, positions: Tensor) -> Tensor:
        """Rows of the table."""
        return self.table[positions]

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + rows; (B, T, D) → (B, T, D).

        Raises:
            ValueError: T is beyond `max_len`, or as in `Additive`.
        """
        self._check_table(positions)
        return super().embed(x, positions)
