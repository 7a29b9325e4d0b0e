"""Unit 04: what people write instead of the key term, one by one, batched and by gather."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake


def pair_rows_transposed(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows.T]).sum(-1)


def pair_asked_by_the_key(q, vectors, rows):
    return (q[:, :, None] * vectors[rows]).sum(-1)


def pair_scaled(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1) / q.shape[-1] ** 0.5


def pair_of_the_first_query(q, vectors, rows):
    return q @ vectors[rows[0]].T


def pair_heads_summed(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1).sum(1)


def pair_not_summed(q, vectors, rows):
    return q[:, :, :, None] * vectors[rows]


def pair_rows_ignored(q, vectors, rows):
    p = torch.arange(q.shape[2])
    k = len(vectors) // 2
    return (q[:, :, :, None] * vectors[(p[None, :] - p[:, None]).clamp(-k, k) + k]).sum(-1)


def pair_result_transposed(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1).transpose(-2, -1)


def pair_averaged_over_d(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).mean(-1)


def pair_softmax_taken(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1).softmax(-1)


_BOTH = ("rows by offset", "any row for any pair")
PAIRS = (
    Mistake(
        pair_rows_transposed,
        "Query and key have changed places in rows: entry (i, j) of rows belongs to query i and "
        "key j.",
        _BOTH,
    ),
    Mistake(
        pair_asked_by_the_key,
        "Your product takes the query at place j. The one who asks is query i; place j only "
        "decides which vector it meets.",
        _BOTH,
    ),
    Mistake(
        pair_scaled,
        "You divide by √d here. That happens once, after q·k and this term have been added up; "
        "else the two terms are scaled differently.",
        _BOTH,
    ),
    Mistake(
        pair_of_the_first_query,
        "All your queries use the rows of query 0, so a key has one vector for all of them. "
        "That is an absolute position; take the row of each pair.",
        _BOTH,
    ),
    Mistake(
        pair_heads_summed,
        "The heads have been added up. Each head asks with its own query and keeps its own "
        "scores: (B, H, T, T).",
        _BOTH,
    ),
    Mistake(
        pair_not_summed,
        "You have multiplied the numbers of the two vectors and not yet added them up: a dot "
        "product leaves no axis of width d.",
        _BOTH,
    ),
    Mistake(
        pair_rows_ignored,
        "The argument rows changes nothing: you work out offsets of your own. The rows may also "
        "be those of a tree.",
        ("any row for any pair",),
    ),
    Mistake(
        pair_result_transposed,
        "Your result is transposed: the last axis is that of the keys, the one before it that of "
        "the queries.",
        _BOTH,
    ),
    Mistake(
        pair_averaged_over_d,
        "You take the mean over d. A dot product is a sum.",
        _BOTH,
    ),
    Mistake(
        pair_softmax_taken,
        "You take a softmax of this term alone. It is a part of the score, and one softmax "
        "follows when all parts have been added.",
        _BOTH,
    ),
)


def batched_by_broadcasting(q, vectors, rows):
    return (q[:, :, :, None] * vectors[rows]).sum(-1)


def batched_rows_transposed(q, vectors, rows):
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    products = by_place @ vectors[rows.T].transpose(1, 2)
    return products.unflatten(1, q.shape[:2]).permute(1, 2, 0, 3)


def batched_reshaped_without_permuting(q, vectors, rows):
    batch, heads, length, width = q.shape
    by_place = q.reshape(length, batch * heads, width)
    products = by_place @ vectors[rows].transpose(1, 2)
    return products.view(length, batch, heads, length).permute(1, 2, 0, 3)


def batched_reshaped_back_at_once(q, vectors, rows):
    batch, heads, length, _ = q.shape
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    products = by_place @ vectors[rows].transpose(1, 2)
    return products.reshape(batch, heads, length, length)


def batched_left_by_place(q, vectors, rows):
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    return by_place @ vectors[rows].transpose(1, 2)


def batched_queries_last(q, vectors, rows):
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    products = by_place @ vectors[rows].transpose(1, 2)
    return products.unflatten(1, q.shape[:2]).permute(1, 2, 3, 0)


def batched_heads_before_sentences(q, vectors, rows):
    batch, heads = q.shape[:2]
    by_place = q.permute(2, 0, 1, 3).flatten(1, 2)
    products = by_place @ vectors[rows].transpose(1, 2)
    return products.unflatten(1, (heads, batch)).permute(2, 1, 0, 3)


_NUMBERS, _COPIES = "the same numbers", "no copies for sentences and heads"
_ALL = (_NUMBERS, _COPIES)
BATCHED = (
    Mistake(
        batched_by_broadcasting,
        "The numbers are right, but the vectors are there once for every sentence and head: "
        "broadcasting copies, with * and with @ alike. Let all sentences and heads be rows of one "
        "matrix.",
        (_COPIES,),
    ),
    Mistake(
        batched_rows_transposed,
        "Your matrix for place i holds the vectors rows[:, i]. Query i needs rows[i, :], its own "
        "row of rows.",
        _ALL,
    ),
    Mistake(
        batched_reshaped_without_permuting,
        "reshape alone does not move an axis: it cuts the same numbers into other pieces. Bring "
        "the places to the front with permute first.",
        _ALL,
    ),
    Mistake(
        batched_reshaped_back_at_once,
        "On the way back the places are still in front. Split B·H into B and H first, then move "
        "the places between heads and keys with permute.",
        _ALL,
    ),
    Mistake(
        batched_left_by_place,
        "Your result is (T, B·H, T): right numbers, queries in front. The score matrix is "
        "(B, H, T, T).",
        _ALL,
    ),
    Mistake(
        batched_queries_last,
        "Queries and keys have changed places in your result: it is (B, H, keys, queries).",
        _ALL,
    ),
    Mistake(
        batched_heads_before_sentences,
        "You flatten (B, H) and split into (H, B): sentences and heads get mixed. Split in the "
        "order in which you have flattened.",
        _ALL,
    ),
)


def gather_of_a_vector_per_pair(q, vectors, rows):
    return torch.einsum("bhid,ijd->bhij", q, vectors[rows])


def gather_rows_transposed(q, vectors, rows):
    return (q @ vectors.T).gather(-1, rows.T.expand(*q.shape[:3], -1))


def gather_of_the_first_sentence_and_head(q, vectors, rows):
    return (q @ vectors.T).gather(-1, rows[None, None])


def gather_along_the_queries(q, vectors, rows):
    return (q @ vectors.T).transpose(-2, -1).gather(-2, rows.expand(*q.shape[:3], -1))


def gather_by_plain_indexing(q, vectors, rows):
    return (q @ vectors.T)[..., rows]


def gather_scaled(q, vectors, rows):
    return (q @ vectors.T).gather(-1, rows.expand(*q.shape[:3], -1)) / q.shape[-1] ** 0.5


def gather_not_read(q, vectors, rows):
    return q @ vectors.T


def gather_same_row_for_all_queries(q, vectors, rows):
    return (q @ vectors.T)[..., rows[0]]


_PLAIN = ("the same numbers", "no vector for each pair")
GATHER = (
    Mistake(
        gather_of_a_vector_per_pair,
        "The numbers are right, but vectors[rows] makes a vector for each pair. Multiply first, "
        "with the 2k + 1 vectors, and read afterwards.",
        ("no vector for each pair",),
    ),
    Mistake(
        gather_rows_transposed,
        "Query and key have changed places in the index: query i reads at rows[i, j].",
        _PLAIN,
    ),
    Mistake(
        gather_of_the_first_sentence_and_head,
        "gather does not broadcast: an index of (1, 1, T, T) reads the first sentence and head "
        "alone, and says nothing. Expand it to (B, H, T, T).",
        _PLAIN,
    ),
    Mistake(
        gather_along_the_queries,
        "You read from the products of the query at place j. Query i reads from its own; the axis "
        "to choose from is that of the vectors.",
        _PLAIN,
    ),
    Mistake(
        gather_by_plain_indexing,
        "products[..., rows] reads all rows for each query: (B, H, T, T, T). Query i needs only "
        "rows[i], which is what gather does.",
        _PLAIN,
    ),
    Mistake(
        gather_scaled,
        "You divide by √d here. That comes once, after q·k and this term have been added up.",
        _PLAIN,
    ),
    Mistake(
        gather_not_read,
        "These are the products of each query with each vector. Now read, for each key, the one "
        "that rows names.",
        _PLAIN,
    ),
    Mistake(
        gather_same_row_for_all_queries,
        "All queries read with the rows of query 0. Each has its own: rows[i].",
        _PLAIN,
    ),
)
