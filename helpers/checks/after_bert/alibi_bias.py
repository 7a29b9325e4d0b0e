"""Unit 05, “The bias in three forms”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, compare


def _alibi_bias(slopes: Tensor, length: int, form: str = "causal") -> Tensor:
    """What ALiBi adds to the scaled scores, (H, T, T)."""
    alibi = encodings.Alibi(len(slopes), len(slopes), form=form)
    alibi.slopes = slopes
    each = torch.arange(length)
    return alibi.bias(each[None, :] - each[:, None])


def _slopes_and_length(rng: Random) -> tuple[Tensor, int]:
    heads = rng.randint(2, 4)
    return torch.rand(heads, generator=Generator().manual_seed(rng.randrange(2**31))) + 0.1, (
        rng.randint(5, 8)
    )


def _bias_of_form(form: str) -> Callable[[Random], Iterator[Case]]:
    def cases(rng: Random) -> Iterator[Case]:
        yield call(*_slopes_and_length(rng), form=form)

    return cases


def _causal_bias(rng: Random) -> Iterator[Case]:
    """By exp(bias), so that −∞ is 0, a number like the others."""
    slopes, length = _slopes_and_length(rng)

    def ask(answer: Answer) -> Any:
        found = answer(slopes.clone(), length, form="causal")
        bias = compare.as_tensor(found)
        return found if bias is None else bias.exp()

    label = f"exp(bias) for slopes of shape {tuple(slopes.shape)}, T={length}, form='causal'"
    yield Case(label, ask)


alibi_bias = Exercise(
    "alibi_bias",
    _alibi_bias,
    (
        Part("causal", 0.5, _causal_bias),
        Part("symmetric", 0.5, _bias_of_form("symmetric")),
        Part("directional", 0.5, _bias_of_form("directional")),
    ),
    forbidden=(encodings.Alibi,),
)


@alibi_bias.mistake(
    "Your bias grows with the distance, so that far keys get more weight. It is a penalty: "
    "−m·distance."
)
def bias_positive(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


@alibi_bias.mistake(
    "For form='directional' the two sides must differ; yours is the symmetric form again.",
    loses="directional",
)
def bias_symmetric_for_directional(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    bias = -slopes[:, None, None] * offsets.abs()
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


@alibi_bias.mistake(
    "Left and right have changed places: your matrix has the key in the row. Rows are queries "
    "i, columns are keys j; a key with j > i stands to the right.",
    loses=("causal", "directional"),
)
def bias_sides_swapped(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[:, None] - p[None, :]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


@alibi_bias.mistake(
    "For form='directional' it is the keys to the left that fall twice as fast in yours. A key "
    "stands to the right where j > i.",
    loses="directional",
)
def bias_left_falls_twice(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets < 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


@alibi_bias.mistake(
    "For form='directional', keys to the right fall half as fast in yours; they should fall "
    "twice as fast.",
    loses="directional",
)
def bias_right_falls_half(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, fall / 2, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


@alibi_bias.mistake(
    "Keys to the right are rewarded: your distance is negative there. A distance is an "
    "absolute value.",
    loses=("symmetric", "directional"),
)
def bias_without_absolute_value(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = -offsets.float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


@alibi_bias.mistake(
    "For form='causal' you put 0 where a key must not be seen. Before a softmax, 0 is a score "
    "like any other, here even the highest. −∞ takes the key out.",
    loses="causal",
)
def bias_zero_for_hidden_keys(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.tril() if form == "causal" else bias


@alibi_bias.mistake(
    "For form='causal', keys to the right can still be seen: they need −∞.", loses="causal"
)
def bias_nothing_hidden(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    return -slopes[:, None, None] * fall


@alibi_bias.mistake(
    "For form='causal' you hide the keys to the left. Hidden are those that come later, j > i.",
    loses="causal",
)
def bias_left_hidden(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets < 0, float("-inf")) if form == "causal" else bias


@alibi_bias.mistake(
    "For form='causal' the query's own token is hidden too, and the first query sees nothing "
    "at all. Hide j > i, not j = i.",
    loses="causal",
)
def bias_own_token_hidden(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets >= 0, float("-inf")) if form == "causal" else bias


@alibi_bias.mistake("Your own token is one step away from itself. |j − i| is 0 there.")
def bias_distance_from_one(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs() + 1.0
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


@alibi_bias.mistake(
    "The heads are your last axis. The scores are (B, H, T, T), so a bias that is to be added "
    "to them is (H, T, T)."
)
def bias_heads_last(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    elif form == "causal":
        fall = fall.masked_fill(offsets > 0, float("inf"))
    return -fall[..., None] * slopes
