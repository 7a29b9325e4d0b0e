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
)


@positions.mistake(
    "Your first position is 1. Positions are counted from 0, like the rows of a table.",
    breaks="Position of each token in its sentence, from 0",
)
def positions_from_one(tokens):
    return torch.arange(1, tokens.shape[1] + 1).expand(tokens.shape)


@positions.mistake(
    "Your numbers grow from sentence to sentence. tokens is (B, T): the words of a sentence "
    "lie along the second axis."
)
def positions_along_the_batch(tokens):
    return torch.arange(tokens.shape[0])[:, None].expand(tokens.shape)


@positions.mistake(
    "These are the positions of one sentence, (T,). The result should have the shape of tokens, "
    "(B, T), with the same row for every sentence."
)
def positions_of_one_sentence(tokens):
    return torch.arange(tokens.shape[1])


@positions.mistake(
    "You keep counting from one sentence to the next. Each sentence starts again at 0.",
    breaks="it returns the position of each token in its own sentence",
)
def positions_through_the_whole_batch(tokens):
    return torch.arange(tokens.numel()).view(tokens.shape)


@positions.mistake("You count backwards: the first word is position 0.")
def positions_counted_from_the_end(tokens):
    return torch.arange(tokens.shape[1]).flip(0).expand(tokens.shape)


@positions.mistake(
    "The numbers are right, but they are floating-point. They cannot index the rows of a "
    "table; torch.arange of integers returns integers.",
    breaks="as whole numbers",
)
def positions_as_floats(tokens):
    return torch.arange(tokens.shape[1]).expand(tokens.shape).float()


@positions.mistake(
    "squeeze drops axes of size 1, so a batch with one sentence loses its shape.",
    loses="a single sentence, or a single word",
)
def positions_squeezed(tokens):
    return torch.arange(tokens.shape[1]).expand(tokens.shape).squeeze()


@positions.mistake(
    "Your result has a single row, (1, T). The shape should be that of tokens, (B, T), with the "
    "same row for every sentence."
)
def positions_in_a_single_row(tokens):
    return torch.arange(tokens.shape[1])[None]


@positions.mistake(
    "Your result is (T, B): the words of a sentence lie in a column. The shape should be that of "
    "tokens, (B, T)."
)
def positions_in_columns(tokens):
    return torch.arange(tokens.shape[1]).expand(tokens.shape).T


@positions.mistake(
    "You count the sentences: for the shape (B, T), len(tokens) is B. The length of a sentence "
    "is tokens.shape[1]."
)
def positions_as_many_as_sentences(tokens):
    return torch.arange(len(tokens))


@positions.mistake(
    "Your rows are joined end to end into one long row, as `repeat(B)` does. `repeat` takes "
    "one number for each axis of the result, and so does `expand`."
)
def positions_repeated_in_a_row(tokens):
    return torch.arange(tokens.shape[1]).repeat(len(tokens))
