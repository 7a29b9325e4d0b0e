"""What is added to the input: one vector per position, whatever it is made of."""

from __future__ import annotations

import torch
from torch import Tensor

from helpers.encodings.base import Encoding


class Additive(Encoding):
    """x + the vector of each token's position; a subclass says what the vectors are."""

    def vectors(self, positions: Tensor) -> Tensor:
        """(…) → (…, D), the vector of each position."""
        raise NotImplementedError

    def embed(self, x: Tensor, positions: Tensor | None = None) -> Tensor:
        """Return x + vectors; (B, T, D) → (B, T, D).

        Args:
            positions: (T,) or (B, T); 0 … T−1 where they are not given.

        Raises:
            ValueError: T is beyond what the encoding has vectors for, or `positions` has another
                shape.
        """
        batch, length = x.shape[:2]
        if positions is None:
            positions = torch.arange(length, device=x.device)
        elif positions.shape not in ((length,), (batch, length)):
            raise ValueError(
                f"positions has shape {tuple(positions.shape)}; it must be ({length},) or "
                f"({batch}, {length})"
            )
        return x + self.vectors(positions).to(x.dtype)


class Table(Additive):
    """A row of `table` (max_len, D) per position, and none beyond."""

    table: Tensor

    def vectors(self, positions: Tensor) -> Tensor:
        """Rows of the table."""
        return self.table[positions]

    def embed(self, x: Tensor, positions: Tensor | None = None) -> Tensor:
        """Return x + rows; (B, T, D) → (B, T, D).

        Raises:
            ValueError: T is beyond `max_len` and no `positions` say which rows to take.
        """
        if positions is None:
            self._check_length(x.shape[1])
        return super().embed(x, positions)
