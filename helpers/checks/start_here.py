"""Unit 00, the warm-up: where does each token stand?"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks.exercise import Case, Exercise, Part, call
from helpers.checks.mistakes import start_here as mistakes


def positions_of(tokens: Tensor) -> Tensor:
    """Position of each token in its sentence, from 0: (B, T) → (B, T), int64."""
    return torch.arange(tokens.shape[1]).expand(tokens.shape)


def _tokens(rng: Random, sentences: int, length: int) -> Tensor:
    return torch.tensor([[rng.randint(0, 9) for _ in range(length)] for _ in range(sentences)])


def _many(rng: Random) -> Iterator[Case]:
    yield call(_tokens(rng, rng.randint(2, 4), rng.randint(5, 9)))
    yield call(_tokens(rng, rng.randint(5, 9), rng.randint(2, 4)))


def _one(rng: Random) -> Iterator[Case]:
    yield call(_tokens(rng, 1, rng.randint(2, 9)))
    yield call(_tokens(rng, rng.randint(2, 9), 1))


positions = Exercise(
    "positions",
    positions_of,
    (
        Part("several sentences of several words", 1, _many),
        Part("a single sentence, or a single word", 1, _one),
    ),
    mistakes.POSITIONS,
)
