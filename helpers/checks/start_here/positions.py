"""Unit 00, “Where does each token stand?”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part, call, compare


def positions_of(tokens: Tensor) -> Tensor:
    """Position of each token in its sentence, from 0: (B, T) → (B, T), int64."""
    return torch.arange(tokens.shape[1]).expand(tokens.shape)


def _case(rng: Random, sentences: int, length: int) -> Case:
    tokens = [[rng.randint(0, 9) for _ in range(length)] for _ in range(sentences)]
    return call(torch.tensor(tokens)).map(_with_kind)


def _with_kind(found: Any) -> Any:
    """Which positions, and whether their dtype is one of integers."""
    if compare.as_tensor(found) is None:
        return found
    integers = "int" in str(found.dtype)
    return {"the positions": found, "their dtype is an integer type": integers}


def _several(rng: Random) -> Iterator[Case]:
    yield _case(rng, rng.randint(2, 4), rng.randint(5, 9))
    yield _case(rng, rng.randint(5, 9), rng.randint(2, 4))
    yield _case(rng, 5, 5)
    yield _case(rng, 2, rng.randint(600, 700))


def _one(rng: Random) -> Iterator[Case]:
    yield _case(rng, 1, rng.randint(2, 9))
    yield _case(rng, rng.randint(2, 9), 1)


positions = Exercise(
    "positions",
    positions_of,
    (
        Part("several sentences of several words", 1, _several),
        Part("a single sentence, or a single word", 1, _one),
    ),
    explains=(
        "Every encoding begins with the position of each token.",
        "For our two sentences that is",
    ),
    module=__name__,
)
