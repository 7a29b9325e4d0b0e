"""Unit 04, “Multiply first, then read”: what it asks, and what people write instead."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from helpers.checks.engine import Exercise, Part
from helpers.checks.relative import common
from helpers.encodings import offsets as library


def key_term_by_gather(q: Tensor, vectors: Tensor, rows: Tensor) -> Tensor:
    """The same as one product with all vectors, read by index."""
    return (q @ vectors.T).gather(-1, rows.expand(*q.shape[:3], -1))


gather = Exercise(
    "gather",
    key_term_by_gather,
    (
        Part("the same numbers", 1, partial(common.cases_by_any_row, name="q")),
        Part("no vector for each pair", 1, partial(common.cases_of_memory, name="q")),
    ),
    forbidden=(*common.TERMS, library.skew, library.skew_padded),
)


@gather.mistake(
    "The numbers are right, but vectors[rows] makes a vector for each pair. Multiply first, "
    "with the 2k + 1 vectors, and read afterwards.",
    loses="no vector for each pair",
)
def gather_of_a_vector_per_pair(q, vectors, rows):
    return torch.einsum("bhid,ijd->bhij", q, vectors[rows])


@gather.mistake("Query and key have changed places in the index: query i reads at rows[i, j].")
def gather_rows_transposed(q, vectors, rows):
    return (q @ vectors.T).gather(-1, rows.T.expand(*q.shape[:3], -1))


@gather.mistake(
    "gather does not broadcast: an index of (1, 1, T, T) reads the first sentence and head "
    "alone, and says nothing. Expand it to (B, H, T, T)."
)
def gather_of_the_first_sentence_and_head(q, vectors, rows):
    return (q @ vectors.T).gather(-1, rows[None, None])


@gather.mistake(
    "You read from the products of the query at place j. Query i reads from its own; the axis "
    "to choose from is that of the vectors."
)
def gather_along_the_queries(q, vectors, rows):
    return (q @ vectors.T).transpose(-2, -1).gather(-2, rows.expand(*q.shape[:3], -1))


@gather.mistake(
    "products[..., rows] reads all rows for each query: (B, H, T, T, T). Query i needs only "
    "rows[i], which is what gather does."
)
def gather_by_plain_indexing(q, vectors, rows):
    return (q @ vectors.T)[..., rows]


@gather.mistake(
    "You divide by √d here. That comes once, after q·k and this term have been added up."
)
def gather_scaled(q, vectors, rows):
    return (q @ vectors.T).gather(-1, rows.expand(*q.shape[:3], -1)) / q.shape[-1] ** 0.5


@gather.mistake(
    "These are the products of each query with each vector. Now read, for each key, the one "
    "that rows names."
)
def gather_not_read(q, vectors, rows):
    return q @ vectors.T


@gather.mistake("All queries read with the rows of query 0. Each has its own: rows[i].")
def gather_same_row_for_all_queries(q, vectors, rows):
    return (q @ vectors.T)[..., rows[0]]
