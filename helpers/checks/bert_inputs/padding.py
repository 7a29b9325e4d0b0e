"""Unit 07, “A mask for padding”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor, nn

from helpers import encodings
from helpers.checks.bert_inputs import common
from helpers.checks.engine import Answer, Case, Exercise, Part, compare
from helpers.corpora.wordpiece import PAD, SEP, UNK
from helpers.model.attention import MultiHeadAttention


def padding_mask(tokens: Tensor) -> Tensor:
    """True at every token that is none of the padding; (B, T) → (B, 1, 1, T)."""
    return (tokens != PAD)[:, None, None, :]


def _real(rng: Random) -> Iterator[Case]:
    tokens = common.random_ids(rng, rng.randint(2, 4), rng.randint(12, 16), 40)
    tokens[0, 1] = UNK
    wanted = tokens.shape

    def ask(answer: Answer) -> Any:
        found = answer(tokens.clone())
        numbers = compare.as_tensor(found)
        fits = numbers is not None and numbers.numel() == tokens.numel()
        return numbers.reshape(wanted) if numbers is not None and fits else found

    yield Case(f"({common.shape_in_words(tokens)}), its numbers", ask)


def _for_attention(rng: Random) -> Iterator[Case]:
    tokens = common.random_ids(rng, rng.randint(2, 4), 12, 40)
    tokens[0, 1] = UNK
    nothing = encodings.create("none", d_model=8, num_heads=2)
    attention = common.with_fixed_weights(MultiHeadAttention(nothing), norm=True).double()
    draw = Generator().manual_seed(rng.randrange(2**31))
    x = torch.randn(len(tokens), 12, 8, dtype=torch.float64, generator=draw)

    def ask(answer: Answer) -> Any:
        found = answer(tokens.clone())
        if found is None:
            return None
        if not isinstance(found, Tensor):
            return {"shape": getattr(found, "shape", "none"), "kind of number": str(type(found))}
        seen: dict[str, Any] = {"shape": tuple(found.shape), "kind of number": str(found.dtype)}
        if seen == {"shape": (len(tokens), 1, 1, 12), "kind of number": "torch.bool"}:
            seen["each row as without its padding"] = all(
                math.isclose(0, _alone(attention, x, tokens, found, n), abs_tol=1e-9)
                for n in range(len(tokens))
            )
        return seen

    yield Case(f"({common.shape_in_words(tokens)}), as the mask of an attention", ask)


def _alone(attention: nn.Module, x: Tensor, tokens: Tensor, mask: Tensor, n: int) -> float:
    """How far row n with its padding is from the same without."""
    length = int((tokens[n] != PAD).sum())
    with torch.no_grad():
        alone = attention(x[n : n + 1, :length])
        found = attention(x, mask)[n : n + 1, :length]
    return float((found - alone).abs().max())


padding = Exercise(
    "padding",
    padding_mask,
    (
        Part("True where a token is real", 0.5, _real),
        Part("as attention wants it", 0.5, _for_attention),
    ),
)


@padding.mistake(
    "Yours is True at the padding. In this course True means: may be looked at. (PyTorch's "
    "key_padding_mask is the other way round.)"
)
def padding_marked_true(tokens):
    return (tokens == PAD)[:, None, None, :]


@padding.mistake(
    "You leave out [CLS] and [SEP] as well. They are no words, but they are read; only [PAD] "
    "is not."
)
def padding_and_special_tokens_left_out(tokens):
    return (tokens > SEP)[:, None, None, :]


@padding.mistake(
    "You leave out [UNK] as well. An unknown word is a word all the same; only [PAD] is not "
    "looked at."
)
def padding_of_unknown_words(tokens):
    return (tokens > 1)[:, None, None, :]


@padding.mistake(
    "The numbers are right, the axes are not: attention's scores are (B, H, T, T).",
    loses="as attention wants it",
)
def padding_without_axes(tokens):
    return tokens != PAD


@padding.mistake(
    "Your mask runs along the queries. The softmax is over the keys, the last axis, and it is "
    "keys that nobody should look at.",
    loses="as attention wants it",
)
def padding_of_queries(tokens):
    return (tokens != PAD)[:, None, :, None]


@padding.mistake(
    "Your places stand on the axis of the heads. (B, 1, 1, T): they belong last.",
    loses="as attention wants it",
)
def padding_along_the_heads(tokens):
    return (tokens != PAD)[:, :, None, None]


@padding.mistake(
    "You also blind the queries that are padding, with T² numbers for each row. Nobody reads "
    "what those see; one row of keys, (B, 1, 1, T), is enough."
)
def padding_of_keys_and_queries(tokens):
    real = tokens != PAD
    return real[:, None, :, None] & real[:, None, None, :]


@padding.mistake(
    "Your mask holds 0 and 1 as numbers. Attention would add them to the scores; it asks for "
    "True and False.",
    loses="as attention wants it",
)
def padding_as_numbers(tokens):
    return (tokens != PAD)[:, None, None, :].long()


@padding.mistake(
    "Yours holds 0 and −∞, to be added to scores. Attention here makes that itself, from True "
    "and False."
)
def padding_as_something_to_add(tokens):
    added = torch.zeros(tokens.shape).masked_fill(tokens == PAD, float("-inf"))
    return added[:, None, None, :]
