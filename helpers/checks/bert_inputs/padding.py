"""Unit 07, “A mask for padding”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks.bert_inputs import common
from helpers.checks.engine import (
    Answer,
    ArgumentChangedError,
    Case,
    Exercise,
    Part,
    compare,
)
from helpers.checks.engine.faults import IN_PLACE
from helpers.corpora.wordpiece import CLS, MASK, PAD, SEP, UNK
from helpers.model.attention import MultiHeadAttention


def padding_mask(tokens: Tensor) -> Tensor:
    """True at every token that is none of the padding; (B, T) → (B, 1, 1, T)."""
    return (tokens != PAD)[:, None, None, :]


def _ids(rng: Random, rows: int, length: int) -> Tensor:
    """Ids of BERT's size, with padding at the end, at the front and in between.

    Some are multiples of 256, of which a byte keeps 0.
    """
    draw = Generator().manual_seed(rng.randrange(2**31))
    tokens = torch.randint(1, 30_522, (rows, length), generator=draw)
    tokens[torch.rand(rows, length, generator=draw) < 0.2] = 256 * rng.randint(1, 100)
    tokens[torch.rand(rows, length, generator=draw) < 0.2] = rng.randint(1, 4)
    tokens[torch.rand(rows, length, generator=draw) < 0.3] = PAD
    tokens[0, 0] = 30_521
    tokens[-1, -1] = 65_536 * rng.randint(1, 9)  # of which 16 bits keep 0 or infinity
    return tokens


def _batches(rng: Random) -> Iterator[Tensor]:
    rows, length = rng.randint(2, 4), rng.randint(12, 16)
    for _ in range(2):  # the same shape with other tokens
        tokens = common.random_ids(rng, rows, length, 40)
        tokens[0, 1:6] = torch.tensor([UNK, MASK, 256, SEP, 1024])
        yield tokens
    tokens = tokens.clone()
    tokens[-1] = 7  # a row without padding
    yield tokens
    yield tokens.flip(1)
    yield _ids(rng, rng.randint(5, 7), rng.randint(3, 4))
    yield _ids(rng, rng.randint(5, 6), 6)
    yield torch.tensor([[rng.choice((PAD, CLS))] * 5, [PAD] * 5])
    yield _ids(rng, 1, rng.randint(7, 9))
    yield _ids(rng, rng.randint(7, 9), 1)
    yield _ids(rng, 2, rng.randint(520, 540))
    yield _ids(rng, rng.randint(290, 310), 4)
    for lowest in (UNK, rng.randint(5, 40)):  # batches without any padding, as it may happen
        tokens = _ids(rng, rng.randint(2, 4), rng.randint(5, 8)).clamp(min=lowest)
        tokens[-1, 0] = lowest
        yield tokens


def _real(rng: Random) -> Iterator[Case]:
    for tokens in _batches(rng):
        yield Case(f"({common.shape_in_words(tokens)}), its numbers", partial(_numbers, tokens))


def _numbers(tokens: Tensor, answer: Answer) -> Any:
    found = _asked(answer, tokens)
    numbers = compare.as_tensor(found)
    if numbers is None:
        return found
    fits = numbers.numel() == tokens.numel()
    return {
        "how many numbers it holds": numbers.numel(),
        "row by row": numbers.reshape(tokens.shape) if fits else numbers,
    }


def _asked(answer: Answer, tokens: Tensor) -> Any:
    given = tokens.clone()
    found = answer(given)
    if not torch.equal(given, tokens):
        raise ArgumentChangedError
    return found


def _for_attention(rng: Random) -> Iterator[Case]:
    for tokens in _batches(rng):
        yield Case(f"({common.shape_in_words(tokens)})", partial(_shape, tokens))
    tokens = common.random_ids(rng, rng.randint(2, 4), 12, 40)
    tokens[0, 1] = UNK
    nothing = encodings.create("none", d_model=8, num_heads=2)
    attention = common.with_fixed_weights(MultiHeadAttention(nothing), norm=True).double()
    draw = Generator().manual_seed(rng.randrange(2**31))
    x = torch.randn(len(tokens), 12, 8, dtype=torch.float64, generator=draw)

    def ask(answer: Answer) -> Any:
        found = _shape(tokens, answer)
        if found is None or found.get("kind of number") != "torch.bool":
            return found
        with torch.no_grad():
            seen = attention(x, _asked(answer, tokens))
        return found | {"what real tokens see": seen[tokens != PAD]}

    yield Case(f"({common.shape_in_words(tokens)}), as the mask in attention", ask)


def _shape(tokens: Tensor, answer: Answer) -> dict[str, Any] | None:
    found = _asked(answer, tokens)
    if found is None:
        return None
    if type(found) is not Tensor:
        return {"the type of the result": type(found).__name__}
    return {
        "the type of the result": "Tensor",
        "shape": tuple(found.shape),
        "kind of number": str(found.dtype),
    }


padding = Exercise(
    "padding",
    padding_mask,
    (
        Part("True where a token is real", 0.5, _real),
        Part("as attention wants it", 0.5, _for_attention),
    ),
    generic={
        "`tokens` stays as it is": IN_PLACE,
    },
    module=__name__,
)
