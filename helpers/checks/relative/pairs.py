"""Unit 04, “The key term, pair by pair”: what it asks, and what people write instead."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from helpers.checks.engine import Exercise, Part
from helpers.checks.relative import common


def key_term_by_pair(q: Tensor, vectors: Tensor, rows: Tensor) -> Tensor:
    """q_i · vectors[rows_ij], with a copy of the vector for each pair, sentence and head."""
    return (q[:, :, :, None] * vectors[rows]).sum(-1)


pairs = Exercise(
    "pairs",
    key_term_by_pair,
    (
        Part("rows by offset", 1, partial(common.cases_by_offset, name="q")),
        Part("any row for any pair", 0.5, partial(common.cases_by_any_row, name="q")),
    ),
    forbidden=common.TERMS,
)


@pairs.mistake(
    "Query and key have changed places in rows: entry (i, j) of rows belongs to query i and key j."
)
def pair_rows_transposed(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows.T]).sum(-1)


@pairs.mistake(
    "Your product takes the query at place j. The one who asks is query i; place j only "
    "decides which vector it meets."
)
def pair_asked_by_the_key(q, vectors, rows):
    return (q[:, :, None] * vectors[rows]).sum(-1)


@pairs.mistake(
    "You divide by √d here. That happens once, after q·k and this term have been added up; "
    "else the two terms are scaled differently."
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
    "The heads have been added up. Each head asks with its own query and keeps its own "
    "scores: (B, H, T, T)."
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
    "You take a softmax of this term alone. It is a part of the score, and one softmax "
    "follows when all parts have been added."
)
def pair_softmax_taken(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1).softmax(-1)
