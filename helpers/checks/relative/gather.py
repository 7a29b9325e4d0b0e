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
        Part("the same numbers", 0.5, partial(common.cases_by_row, name="q")),
        Part("no vector for each pair", 1, partial(common.cases_of_memory, name="q")),
        Part("dtype and gradients", 0.5, partial(common.cases_backwards, name="q")),
    ),
    forbidden=(*common.TERMS, library.skew, library.skew_padded),
    explains=("this is asked only where",),
)


@gather.mistake(
    "The numbers are right, but you make d numbers for each pair, as vectors[rows] does, or an "
    "index of that size. Multiply first, with the 2k + 1 vectors, and read afterwards.",
    loses="no vector for each pair",
    breaks=(
        "no tensor may have a vector for each pair",
        "no single tensor may hold",
        "no vector for each pair;",
    ),
)
def gather_of_a_vector_per_pair(q, vectors, rows):
    return torch.einsum("bhid,ijd->bhij", q, vectors[rows])


@gather.mistake(
    "Query and key have changed places in the index: query i reads at rows[i, j].",
    breaks=("the same arguments and numbers once more", "arguments and result as in key_term"),
)
def gather_rows_transposed(q, vectors, rows):
    return (q @ vectors.T).gather(-1, rows.T.expand(*q.shape[:3], -1))


@gather.mistake(
    "gather does not broadcast: an index of (1, 1, T, T) reads the first sentence and head alone, "
    "without an error. Expand it to (B, H, T, T)."
)
def gather_of_the_first_sentence_and_head(q, vectors, rows):
    return (q @ vectors.T).gather(-1, rows[None, None])


@gather.mistake(
    "You read from the products of the query at position j. Query i reads from its own; choose "
    "along the axis of the vectors."
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
    "You divide by √d here. That happens once, after q·k and this term have been added up."
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


@gather.mistake(
    "The numbers are right, but there are d numbers for each pair in every sentence and head, "
    "as when q is multiplied by vectors[rows]. Multiply first, with the table itself, and read "
    "afterwards.",
    loses="no vector for each pair",
)
def gather_of_a_product_per_pair(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1)


@gather.mistake(
    "Without gradients you multiply first; where they are needed, as in training, there is a "
    "vector for each pair again. It is training that needs the memory most.",
    loses="no vector for each pair",
    breaks="no single tensor may hold",
)
def gather_of_a_vector_per_pair_in_training(q, vectors, rows):
    if q.requires_grad:
        return torch.einsum("bhid,ijd->bhij", q, vectors[rows])
    return (q @ vectors.T).gather(-1, rows.expand(*q.shape[:3], -1))


@gather.mistake(
    "products[..., rows] reads the rows of all queries for each query, T times too many, and you "
    "keep only a diagonal of it. gather reads for query i what rows[i] names.",
    loses="no vector for each pair",
    breaks="no single tensor may hold",
)
def gather_of_a_diagonal(q, vectors, rows):
    every = (q @ vectors.T)[..., rows]  # (B, H, T, T, T)
    return every.diagonal(dim1=2, dim2=3).movedim(-1, 2)
