"""Unit 04, “Shaw's batched product”: what it asks, and what people write instead."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from helpers.checks.engine import Exercise, Part
from helpers.checks.engine.faults import DTYPE, NO_GRADIENT
from helpers.checks.relative import common


def key_term_batched(q: Tensor, vectors: Tensor, rows: Tensor) -> Tensor:
    """The same as T products of a (B·H, d) and a (d, T) matrix."""
    batch, heads, length, width = q.shape
    by_place = q.permute(2, 0, 1, 3).reshape(length, batch * heads, width)
    products = by_place @ vectors[rows].transpose(1, 2)  # (T, B·H, T)
    return products.view(length, batch, heads, length).permute(1, 2, 0, 3)


batched = Exercise(
    "batched",
    key_term_batched,
    (
        Part("the same numbers", 0.5, partial(common.cases_by_row, name="q")),
        Part(
            "no copies for sentences and heads",
            1,
            partial(common.cases_of_memory, name="q", times=2),
        ),
        Part("dtype and gradients", 0.5, partial(common.cases_backwards, name="q")),
    ),
    forbidden=common.TERMS,
    explains=("A tensor of $T^2", "is asked only where"),
    generic={
        "gradients must reach `q` and `vectors`": NO_GRADIENT,
        "the dtype is that of `q`": DTYPE,
    },
)


@batched.mistake(
    "The numbers are right, but your largest tensor is as large as a copy of the vectors for "
    "every sentence and head: broadcasting copies, with * and with @ alike, and so does an index "
    "that is repeated. Let all sentences and heads be rows of one matrix.",
    loses="no copies for sentences and heads",
    breaks=("no tensor that repeats the fetched vectors", "must hold fewer than"),
)
def batched_by_broadcasting(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1)


@batched.mistake(
    "Your matrix for position i holds the vectors rows[:, i]. Query i needs rows[i, :], its own "
    "row of rows.",
    breaks=("the same arguments, the same numbers", "arguments and result as in key_term_by_pair"),
)
def batched_rows_transposed(q, vectors, rows):
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    products = by_place @ vectors[rows.T].transpose(1, 2)
    return products.unflatten(1, q.shape[:2]).permute(1, 2, 0, 3)


@batched.mistake(
    "reshape alone does not move an axis: it cuts the same numbers into other pieces. Bring the "
    "positions to the front with permute first."
)
def batched_reshaped_without_permuting(q, vectors, rows):
    batch, heads, length, width = q.shape
    by_place = q.reshape(length, batch * heads, width)
    products = by_place @ vectors[rows].transpose(1, 2)
    return products.view(length, batch, heads, length).permute(1, 2, 0, 3)


@batched.mistake(
    "There is no permute in your function, and reshape alone does not move an axis. Bring the "
    "positions to the front first, and back between heads and keys in the end."
)
def batched_without_any_permute(q, vectors, rows):
    batch, heads, length, width = q.shape
    by_place = q.reshape(length, batch * heads, width)
    products = by_place @ vectors[rows].transpose(1, 2)
    return products.reshape(batch, heads, length, length)


@batched.mistake(
    "When you reshape the result, the positions are still in front. Split B·H into B and H "
    "first, then move the positions between heads and keys with permute."
)
def batched_reshaped_back_at_once(q, vectors, rows):
    batch, heads, length, _ = q.shape
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    products = by_place @ vectors[rows].transpose(1, 2)
    return products.reshape(batch, heads, length, length)


@batched.mistake(
    "Your result is (T, B·H, T): right numbers, queries in front. The score matrix is (B, H, T, T)."
)
def batched_left_by_place(q, vectors, rows):
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    return by_place @ vectors[rows].transpose(1, 2)


@batched.mistake(
    "Queries and keys have changed places in your result: it is (B, H, keys, queries)."
)
def batched_queries_last(q, vectors, rows):
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    products = by_place @ vectors[rows].transpose(1, 2)
    return products.unflatten(1, q.shape[:2]).permute(1, 2, 3, 0)


@batched.mistake(
    "You flatten (B, H) and split into (H, B): sentences and heads get mixed. Split in the "
    "order in which you have flattened."
)
def batched_heads_before_sentences(q, vectors, rows):
    batch, heads = q.shape[:2]
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    products = by_place @ vectors[rows].transpose(1, 2)
    return products.unflatten(1, (heads, batch)).permute(2, 1, 0, 3)


@batched.mistake(
    "Your largest tensor is as large as a copy of the vectors for every head. repeat copies, and "
    "so does a product with an axis of heads on both sides. Let sentences and heads be rows of "
    "one matrix.",
    loses="no copies for sentences and heads",
    breaks="no tensor that repeats the fetched vectors",
)
def batched_with_a_copy_for_each_head(q, vectors, rows):
    fetched = vectors[rows].repeat(q.shape[1], 1, 1, 1)  # (H, T, T, d)
    return torch.stack([(fetched @ one[..., None]).squeeze(-1) for one in q])


@batched.mistake(
    "Your products are divided by √d. That is done once, to the whole score; the term is unscaled."
)
def batched_divided_by_the_root(q, vectors, rows):
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    products = by_place @ vectors[rows].transpose(1, 2) / q.shape[-1] ** 0.5
    return products.unflatten(1, q.shape[:2]).permute(1, 2, 0, 3)
