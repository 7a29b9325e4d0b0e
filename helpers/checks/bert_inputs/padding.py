"""Unit 07, “A mask for padding”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers.checks.bert_inputs import common
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part, call, compare
from helpers.corpora.wordpiece import CLS, MASK, PAD, SEP, UNK


def padding_mask(tokens: Tensor) -> Tensor:
    """Return True at every token that is none of the padding; (B, T) → (B, 1, 1, T)."""
    return (tokens != PAD)[:, None, None, :]


def _batches(rng: Random) -> Iterator[Tensor]:
    rows, length = rng.randint(2, 4), rng.randint(12, 16)
    tokens = common.random_ids(rng, rows, length, 40)
    tokens[0, 1:6] = torch.tensor([UNK, MASK, 256, SEP, 1024])
    yield tokens
    yield tokens.flip(1)
    yield torch.tensor([[rng.choice((PAD, CLS))] * 5, [PAD] * 5])
    draw = Generator().manual_seed(rng.randrange(1000))
    for shape in ((1, rng.randint(7, 9)), (rng.randint(7, 9), 1), (2, rng.randint(520, 540))):
        yield torch.randint(3, shape, generator=draw)  # padding anywhere
    yield torch.randint(1, 40, (rows, length), generator=draw)  # none at all


def _real(rng: Random) -> Iterator[Case]:
    for tokens in _batches(rng):
        label = f"({common.shape_in_words(tokens)}), its numbers"
        yield call(tokens).labelled(label).map(partial(_numbers, tokens))


def _numbers(tokens: Tensor, found: Any) -> Any:
    numbers = compare.as_tensor(found)
    if numbers is None:
        return found
    fits = numbers.numel() == tokens.numel()
    return {
        "how many numbers it holds": numbers.numel(),
        "row by row": numbers.reshape(tokens.shape) if fits else numbers,
    }


def _for_attention(rng: Random) -> Iterator[Case]:
    for tokens in _batches(rng):
        yield call(tokens).labelled(f"({common.shape_in_words(tokens)})").map(_form)


def _form(found: Any) -> Any:
    return {
        "the type of the result": type(found).__name__,
        "shape": tuple(getattr(found, "shape", ())),
        "kind of number": str(getattr(found, "dtype", "none")),
    }


padding = Exercise(
    "padding",
    padding_mask,
    (
        Part("True where a token is real", 0.5, _real),
        Part("as attention wants it", 0.5, _for_attention),
    ),
    generic={"`tokens` stays as it is": IN_PLACE},
    module=__name__,
)
