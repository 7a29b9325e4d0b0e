"""Unit 05, “Positions from gates”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.after_bert import common
from helpers.checks.engine import Answer, Case, Exercise, Part, compare


def _counted(scores: Tensor) -> Tensor:
    """CoPE's position of each key j ≤ i, the gates from j to i added up; 0 to the right."""
    gates = scores.sigmoid().tril()
    return gates.flip(-1).cumsum(-1).flip(-1).tril()


def _one_side(rng: Random, cut: Callable[[Tensor], Tensor], words: str) -> Iterator[Case]:
    scores = 2 * common.normal_numbers(rng, 2, 3, rng.randint(5, 8), 1) + common.normal_numbers(
        rng, 1, 1, 1, 1
    )
    scores = scores + 2 * common.normal_numbers(rng, 2, 3, scores.shape[2], scores.shape[2])

    def ask(answer: Answer) -> Any:
        found = answer(scores.clone())
        positions = compare.as_tensor(found)
        fits = positions is not None and positions.shape == scores.shape
        return cut(positions) if positions is not None and fits else found

    yield Case(f"{words}, scores of shape {tuple(scores.shape)}", ask)


def _right_of(positions: Tensor) -> Tensor:
    return positions.triu(1)


counted = Exercise(
    "counted",
    _counted,
    (
        Part("keys to the left", 1, lambda rng: _one_side(rng, torch.tril, "where j ≤ i")),
        Part("0 to the right", 0.5, lambda rng: _one_side(rng, _right_of, "where j > i")),
    ),
    forbidden=(encodings.Cope,),
)


@counted.mistake(
    "You add up from the beginning of the text to key j. A position is counted back from the "
    "query: from i down to j, so that the query's neighbour has a small one.",
    loses="keys to the left",
)
def counted_from_the_left(scores):
    return scores.sigmoid().tril().cumsum(-1).tril()


@counted.mistake(
    "Your gates are the scores themselves, and may be negative. σ makes each a number between "
    "0, not counted, and 1, counted.",
    loses="keys to the left",
)
def counted_without_a_sigmoid(scores):
    return scores.tril().flip(-1).cumsum(-1).flip(-1).tril()


@counted.mistake(
    "Your gates are a softmax: they share one count among all keys. Each gate opens by itself: "
    "a sigmoid.",
    loses="keys to the left",
)
def counted_by_softmax(scores):
    return scores.softmax(-1).tril().flip(-1).cumsum(-1).flip(-1).tril()


@counted.mistake(
    "Your gates are a softmax over the keys to the left, so that their sum is always 1. Each "
    "gate opens by itself: a sigmoid.",
    loses="keys to the left",
)
def counted_by_causal_softmax(scores):
    hidden = torch.ones_like(scores).triu(1).bool()
    gates = scores.masked_fill(hidden, float("-inf")).softmax(-1)
    return gates.flip(-1).cumsum(-1).flip(-1).tril()


@counted.mistake(
    "Gates to the right of the query are counted too: your sum runs from j to the end of the "
    "text. It stops at i.",
    loses="keys to the left",
)
def counted_to_the_end_of_the_text(scores):
    return scores.sigmoid().flip(-1).cumsum(-1).flip(-1).tril()


@counted.mistake(
    "You add up along the queries. The sum for query i uses its own row of gates: the last axis.",
    loses="keys to the left",
)
def counted_along_the_queries(scores):
    return scores.sigmoid().tril().cumsum(-2).tril()


@counted.mistake(
    "The query's own gate is missing: the sum runs from m = j to m = i, both included.",
    loses="keys to the left",
)
def counted_without_the_query_itself(scores):
    return scores.sigmoid().tril(-1).flip(-1).cumsum(-1).flip(-1)


@counted.mistake(
    "The key's own gate is missing: the sum runs from m = j to m = i, both included.",
    loses="keys to the left",
)
def counted_without_the_key_itself(scores):
    gates = scores.sigmoid().tril()
    return (gates.flip(-1).cumsum(-1).flip(-1) - gates).tril()


@counted.mistake(
    "Your gates are transposed: scores[…, i, m] is what query i, in the row, says to key m.",
    loses="keys to the left",
)
def counted_with_the_gates_of_the_key(scores):
    gates = scores.transpose(-2, -1).sigmoid().tril()
    return gates.flip(-1).cumsum(-1).flip(-1).tril()


@counted.mistake(
    "You flip the keys to add up from the right, and leave them flipped: turn them back.",
    loses="keys to the left",
)
def counted_and_left_mirrored(scores):
    return scores.sigmoid().tril().flip(-1).cumsum(-1).tril()


@counted.mistake(
    "Each token counts 1, so these are plain distances. The gates decide what is counted.",
    loses="keys to the left",
)
def counted_tokens(scores):
    return torch.ones_like(scores).tril().flip(-1).cumsum(-1).flip(-1).tril()


@counted.mistake(
    "Keys to the right have counts of their own. The paper's model is causal: leave 0 there.",
    loses="0 to the right",
)
def counted_on_both_sides(scores):
    gates = scores.sigmoid()
    left = gates.tril().flip(-1).cumsum(-1).flip(-1)
    return left.tril() + gates.triu(1).cumsum(-1).triu(1)


@counted.mistake(
    "To the right of the query your difference of sums goes on below zero. Leave 0 there.",
    loses="0 to the right",
)
def counted_down_to_the_right(scores):
    gates = scores.sigmoid()
    upto = gates.cumsum(-1)
    own = upto.diagonal(dim1=-2, dim2=-1)[..., None]
    return own - upto + gates
