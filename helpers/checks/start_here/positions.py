"""Unit 00, “Where does each token stand?”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call, compare


def positions_of(tokens: Tensor) -> Tensor:
    """Position of each token in its sentence, from 0: (B, T) → (B, T), int64."""
    return torch.arange(tokens.shape[1]).expand(tokens.shape)


def _tokens(rng: Random, sentences: int, length: int) -> Tensor:
    return torch.tensor([[rng.randint(0, 9) for _ in range(length)] for _ in range(sentences)])


def _whole(case: Case) -> Case:
    """The same question, and whether the numbers are whole by their dtype."""

    def ask(answer: Answer) -> Any:
        found = case.ask(answer)
        if compare.as_tensor(found) is None:
            return found
        whole = "int" in str(found.dtype)
        return {"the positions": found, "their dtype is an integer type": whole}

    return case.asking(ask)


def _many(rng: Random) -> Iterator[Case]:
    yield _whole(call(_tokens(rng, rng.randint(2, 4), rng.randint(5, 9))))
    short = _tokens(rng, rng.randint(5, 9), rng.randint(2, 4))
    yield _whole(call(short))
    yield _whole(call(short[1:]))  # the same length, fewer sentences
    both = rng.randint(3, 6)
    yield _whole(call(_tokens(rng, both, both)))
    yield _whole(call(_tokens(rng, rng.randint(66, 90), 3)))
    yield _whole(call(_tokens(rng, 2, rng.randint(600, 700))))
    yield _whole(call(_tokens(rng, 2, rng.randint(5_000, 6_000))))


def _one(rng: Random) -> Iterator[Case]:
    yield _whole(call(_tokens(rng, 1, rng.randint(2, 9))))
    yield _whole(call(_tokens(rng, rng.randint(2, 9), 1)))
    yield _whole(call(_tokens(rng, 1, 1)))


positions = Exercise(
    "positions",
    positions_of,
    (
        Part("several sentences of several words", 1, _many),
        Part("a single sentence, or a single word", 1, _one),
    ),
    explains=(
        "Every encoding begins with the position of each token.",
        "For our two sentences that is",
    ),
    module=__name__,
)
