"""How checks tell a hook where tokens stand."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from helpers.checks.engine import Answer
from helpers.encodings import Positions, prepare_positions


def at(x: Tensor, *positions: Tensor) -> Positions:
    """What a model would say of x (B, T, D): tokens at 0 … T−1, or at `positions`."""
    return prepare_positions(x, *positions)


def embed(module: Any) -> Answer:
    """The `embed` of an encoding, as a function of x and perhaps of positions."""
    return lambda x, *positions: module.embed(x, at(x, *positions))


def by(heads: Tensor, offsets: Tensor | None = None) -> Positions:
    """What a layer would be told of queries or weights (B, H, T, …), or the offsets of a tree."""
    return prepare_positions(heads.transpose(1, 2), None, offsets)
