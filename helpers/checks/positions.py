"""How checks tell a hook where tokens stand, and how the mistakes among them read it."""

from __future__ import annotations

from torch import Tensor

from helpers.encodings import Positions, prepare_positions


def at(x: Tensor, *positions: Tensor) -> Positions:
    """What a model would say of x (B, T, D): tokens at 0 … T−1, or at `positions`."""
    return prepare_positions(x, *positions)


def by(heads: Tensor, offsets: Tensor | None = None) -> Positions:
    """What a layer would be told of queries or weights (B, H, T, …), or the offsets of a tree."""
    return prepare_positions(heads.transpose(1, 2), None, offsets)


def given(positions: Positions) -> Tensor | None:
    """Where the tokens stand, if that is not at 0 … T−1."""
    return None if positions.ordered else positions.queries


def given_offsets(positions: Positions) -> Tensor | None:
    """The offsets of a tree, (T, T) or (B, T, T), if there are any."""
    offsets = positions.given_offsets
    return offsets if offsets is None or offsets.dim() == 2 else offsets[:, 0]
