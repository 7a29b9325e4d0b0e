"""Unit 01, “Two masks”: what it asks, and what people write instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call, compare
from helpers.checks.order_blind import common


def _lengths(rng: Random, longest: int, sequences: int) -> Tensor:
    """One sequence of a single token, one of `longest`, the others in between."""
    between = [rng.randint(2, longest - 1) for _ in range(sequences - 2)]
    lengths = [longest, 1, *between]
    rng.shuffle(lengths)
    return torch.tensor(lengths)


def _mask_cases(rng: Random, causal: bool) -> Iterator[Case]:
    """A full sequence among fewer sequences than tokens; then more sequences, all with padding."""
    num_tokens = rng.randint(6, 8)
    yield _mask_case(num_tokens, _lengths(rng, num_tokens, rng.randint(3, 4)), causal)
    short = _lengths(rng, num_tokens - rng.randint(1, 3), rng.randint(17, 20))
    yield _mask_case(num_tokens, short, causal)
    yield _mask_case(num_tokens, short.flip(0).clamp(min=2), causal)
    yield _mask_case(num_tokens, torch.full((rng.randint(2, 4),), num_tokens), causal)
    yield _mask_case(num_tokens, _lengths(rng, num_tokens, num_tokens), causal)  # B = T
    yield _mask_case(1, torch.ones(rng.randint(1, 3), dtype=torch.int64), causal)
    # More tokens than BERT reads.
    yield _mask_case(rng.randint(522, 530), torch.tensor([rng.randint(514, 520)]), causal)


def _mask_case(num_tokens: int, lengths: Tensor, causal: bool) -> Case:
    shape = (len(lengths), 1, num_tokens, num_tokens)
    arguments = (lengths, num_tokens, True) if causal else (lengths, num_tokens)

    def ask(answer: Answer) -> Any:
        found = call(*arguments).ask(answer)
        tensor = compare.as_tensor(found)
        if tensor is None or isinstance(found, np.ndarray):
            return compare.no_plain_tensor(found)
        # What broadcasts to the shape is as good.
        with contextlib.suppress(RuntimeError):
            tensor = tensor.expand(shape)
        true_or_false = found.dtype == torch.bool
        seen = tensor.bool() if true_or_false else tensor
        return {"it holds True and False": true_or_false, "who may look at whom": seen}

    label = f"({lengths.tolist()}, {num_tokens}{', causal=True' if causal else ''})"
    return Case(label, ask)


masks = Exercise(
    "masks",
    common.attention_mask,
    (
        Part("padding", 0.5, partial(_mask_cases, causal=False)),
        Part("padding and causal", 0.5, partial(_mask_cases, causal=True)),
    ),
    explains=("The axis of size 1 is for the heads.", "Every length is at least 1."),
)


@masks.mistake(
    "Your mask is True where looking is forbidden. Libraries differ in this; here True means "
    "that the query may look.",
    breaks=("is True where", "True where query i may look at key j"),
)
def masks_inverted(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    hidden = (places >= lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return hidden | (places > places[:, None]) if causal else hidden


@masks.mistake(
    "You switch off the rows of padded tokens. Rows are queries; what nobody may look at is a "
    "padded *key*, a column.",
    breaks="token $j$ of sequence $b$ is real",
)
def masks_hide_queries(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, :, None].expand(-1, 1, -1, num_tokens)
    return mask & (places <= places[:, None]) if causal else mask


@masks.mistake(
    "You switch off padded rows as well. A query that may look at no key ends in 0/0; its "
    "output is not used anyway, so leave its row alone.",
    breaks="Rows of padded tokens get no special treatment",
)
def masks_hide_queries_as_well(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    real = places < lengths[:, None]
    mask = real[:, None, :, None] & real[:, None, None, :]
    return mask & (places <= places[:, None]) if causal else mask


@masks.mistake(
    "Your causal mask lets a token see what comes after it. Row i is a query: it sees keys at "
    "or before i.",
    loses="padding and causal",
    breaks="token $j$ does not come after token $i$",
)
def masks_show_the_future(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return mask & (places >= places[:, None]) if causal else mask


@masks.mistake(
    "A token cannot see itself in your causal mask, and the first token sees nothing. The "
    "diagonal should be True.",
    loses="padding and causal",
)
def masks_without_the_diagonal(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return mask & (places < places[:, None]) if causal else mask


@masks.mistake(
    "Your causal mask reaches one token too far: row 0 sees key 1, which comes after it.",
    loses="padding and causal",
)
def masks_one_into_the_future(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return mask & (places <= places[:, None] + 1) if causal else mask


@masks.mistake(
    "One padded token can still be seen. A sequence of n real tokens has the positions 0 to n − 1.",
    breaks="only the first `lengths[b]` tokens of sequence $b$ are real",
)
def masks_one_token_too_long(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places <= lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return mask & (places <= places[:, None]) if causal else mask


@masks.mistake("The argument causal changes nothing in your mask.", loses="padding and causal")
def masks_never_causal(lengths, num_tokens, causal=False):
    real = torch.arange(num_tokens) < lengths[:, None]
    return real[:, None, None].expand(-1, 1, num_tokens, -1)


@masks.mistake(
    "With causal=True the padding can be seen again. Both rules apply at once.",
    loses="padding and causal",
)
def masks_causal_without_padding(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    if causal:
        return (places <= places[:, None]).expand(len(lengths), 1, -1, -1)
    return (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)


@masks.mistake(
    "You show a key if *one* of the rules allows it. It must be real and also not in the future.",
    loses="padding and causal",
)
def masks_of_either_kind(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return mask | (places <= places[:, None]) if causal else mask


@masks.mistake(
    "The pattern is right, but these are numbers. A boolean mask cannot be mistaken for "
    "something to add or to multiply by; a comparison such as a < b gives one.",
    breaks="It returns a boolean tensor",
)
def masks_of_ones_and_zeros(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return (mask & (places <= places[:, None]) if causal else mask).float()


@masks.mistake(
    "The pattern is right, but it is in a NumPy array. The exercise asks for a tensor: "
    "torch.from_numpy converts it, or start with torch.arange.",
    breaks="It returns a boolean tensor",
)
def masks_in_an_array(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return (mask & (places <= places[:, None]) if causal else mask).numpy()


@masks.mistake(
    "Your mask is (B, T, T). When it is broadcast to scores of shape (B, H, T, T), its batch "
    "axis would be taken for the heads; give the heads an axis of size 1."
)
def masks_without_an_axis_for_heads(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None].expand(-1, num_tokens, -1)
    return mask & (places <= places[:, None]) if causal else mask


@masks.mistake(
    "You take T from the longest sequence. A batch may be padded further than that; num_tokens "
    "says how far.",
)
def masks_as_long_as_the_longest(lengths, num_tokens, causal=False):
    places = torch.arange(int(lengths.max()))
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, len(places), -1)
    return mask & (places <= places[:, None]) if causal else mask
