"""Unit 04, “The key term, pair by pair”: what it asks, and what people write instead."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from helpers.checks.engine import Exercise, Part
from helpers.checks.engine.faults import IN_PLACE, NO_GRADIENT
from helpers.checks.relative import common


def key_term_by_pair(q: Tensor, vectors: Tensor, rows: Tensor) -> Tensor:
    """q_i · vectors[rows_ij], with a copy of the vector for each pair, sentence and head."""
    return (q[:, :, :, None] * vectors[rows]).sum(-1)


pairs = Exercise(
    "pairs",
    key_term_by_pair,
    (
        Part("rows by offset", 0.5, partial(common.cases_by_offset, name="q")),
        Part("any row for any pair", 0.5, partial(common.cases_by_any_row, name="q")),
        Part("dtype and gradients", 0.5, partial(common.cases_backwards, name="q")),
    ),
    forbidden=common.TERMS,
    explains=("Write `key_term_by_pair`",),
    generic={
        "gradients must reach `q` and `vectors`": NO_GRADIENT,
        "no argument is modified in place": IN_PLACE,
    },
)


@pairs.mistake(
    "Query and key have changed places in rows: entry (i, j) of rows belongs to query i and key j.",
    breaks="which of the $R$ vectors query $i$ meets at key $j$",
)
def pair_rows_transposed(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows.T]).sum(-1)


@pairs.mistake(
    "Your product uses the query at position j. It should be query i; position j only decides "
    "which vector that query is multiplied by.",
    breaks=("take its dot product with the query", "q_i · vectors[rows_ij] for every pair"),
)
def pair_asked_by_the_key(q, vectors, rows):
    return (q[:, :, None] * vectors[rows]).sum(-1)


@pairs.mistake(
    "You divide by √d here. That happens once, after q·k and this term have been added up; "
    "otherwise the two terms are scaled differently.",
    breaks="No scaling",
)
def pair_scaled(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1) / q.shape[-1] ** 0.5


@pairs.mistake(
    "All your queries use the rows of query 0, so a key has one vector for all of them. "
    "That is an absolute position; take the row of each pair."
)
def pair_of_the_first_query(q, vectors, rows):
    return q @ vectors[rows[0]].T


@pairs.mistake(
    "You have summed over the heads. Each head has its own queries and its own scores: (B, H, "
    "T, T).",
    breaks="the result is $(B, H, T, T)$",
)
def pair_heads_summed(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1).sum(1)


@pairs.mistake(
    "You have multiplied the numbers of the two vectors and not yet added them up: a dot "
    "product leaves no axis of width d."
)
def pair_not_summed(q, vectors, rows):
    return q[:, :, :, None] * vectors[rows]


@pairs.mistake(
    "The argument rows changes nothing: you work out offsets of your own. The rows may also "
    "be those of a tree.",
    loses="any row for any pair",
    breaks="`rows` may hold any rows, not only those by offset",
)
def pair_rows_ignored(q, vectors, rows):
    p = torch.arange(q.shape[2])
    k = len(vectors) // 2
    return (q[:, :, :, None] * vectors[(p[None, :] - p[:, None]).clamp(-k, k) + k]).sum(-1)


@pairs.mistake(
    "Your result is transposed: the last axis is that of the keys, the one before it that of "
    "the queries."
)
def pair_result_transposed(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1).transpose(-2, -1)


@pairs.mistake("You take the mean over d. A dot product is a sum.")
def pair_averaged_over_d(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).mean(-1)


@pairs.mistake(
    "You take a softmax of this term alone. It is only a part of the score; a single softmax "
    "follows once all parts have been added."
)
def pair_softmax_taken(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1).softmax(-1)
