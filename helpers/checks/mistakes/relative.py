"""Unit 04: what people write instead of the rows by offset and of the memory count."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.relative_module import MODULE
from helpers.checks.mistakes.relative_skew import SKEW
from helpers.checks.mistakes.relative_terms import BATCHED, GATHER, PAIRS
from helpers.checks.mistakes.relative_values import VALUES

__all__ = ["BATCHED", "GATHER", "MEMORY", "MODULE", "PAIRS", "ROWS", "SKEW", "VALUES"]


def rows_of_i_minus_j(length, k):
    p = torch.arange(length)
    return (p[:, None] - p[None, :]).clamp(-k, k) + k


def rows_not_moved_by_k(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k)


def rows_moved_by_k_twice(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k) + 2 * k


def rows_moved_by_the_length(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k) + length - 1


def rows_not_clipped(length, k):
    p = torch.arange(length)
    return p[None, :] - p[:, None] + k


def rows_clipped_one_too_early(length, k):
    p = torch.arange(length)
    inner = max(k - 1, 0)
    return (p[None, :] - p[:, None]).clamp(-inner, inner) + k


def rows_without_the_last(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k - 1) + k


def rows_clipped_after_the_move(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None] + k).clamp(-k, k)


def rows_of_distances(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).abs().clamp(max=k)


def rows_of_distances_in_the_middle(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).abs().clamp(max=k) + k


def rows_from_one(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k) + k + 1


def rows_of_far_pairs_zero(length, k):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    return torch.where(offsets.abs() <= k, offsets + k, 0)


def rows_far_left_out(length, k):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    return torch.where(offsets.abs() <= k, offsets + k, -1)


def rows_that_wrap_around(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None] + k) % (2 * k + 1)


_BOTH = ("offsets up to k", "offsets beyond k")
ROWS = (
    Mistake(
        rows_of_i_minus_j,
        "Your sign is i − j, Transformer-XL's. Shaw's offset is j − i, key minus query: what "
        "stands to the left of the query has a negative one, so rows grow from left to right.",
        _BOTH,
    ),
    Mistake(
        rows_not_moved_by_k,
        "Your rows are negative to the left of the query. Python would take those from the end "
        "of the table without a word; row 0 should be offset −k.",
        _BOTH,
    ),
    Mistake(
        rows_moved_by_k_twice,
        "The shift by k is there twice: your largest row is 3k, the table ends at row 2k.",
        _BOTH,
    ),
    Mistake(
        rows_moved_by_the_length,
        "You shift by T − 1, which belongs to a table of all 2T − 1 offsets. This one has 2k + 1 "
        "rows whatever the length; where is offset 0 in it?",
        _BOTH,
    ),
    Mistake(
        rows_not_clipped,
        "Your rows leave the table in long texts: there is no row below 0 or above 2k. Clip first.",
        ("offsets beyond k",),
    ),
    Mistake(
        rows_clipped_one_too_early,
        "You clip one too early: offsets k and −k still have rows of their own, 2k and 0.",
        _BOTH,
    ),
    Mistake(
        rows_without_the_last,
        "The last row, 2k, is never used on the right: −k to k are 2k + 1 offsets, both ends "
        "included. Other than in range(), the upper end belongs to it.",
        _BOTH,
    ),
    Mistake(
        rows_clipped_after_the_move,
        "You shift first and clip to −k … k afterwards, so all offsets to the right get one row. "
        "Once shifted, the rows run from 0 to 2k.",
        _BOTH,
    ),
    Mistake(
        rows_of_distances,
        "These are distances: left and right share a row. An offset has a direction.",
        _BOTH,
    ),
    Mistake(
        rows_of_distances_in_the_middle,
        "You take the absolute value, so the rows 0 … k − 1 are never used and left and right are "
        "one. An offset has a direction.",
        _BOTH,
    ),
    Mistake(
        rows_from_one,
        "Your rows begin at 1, so the last one is beyond the table. The first row is row 0.",
        _BOTH,
    ),
    Mistake(
        rows_of_far_pairs_zero,
        "Far pairs all get row 0, also those far to the right. Right and left have an outermost "
        "row each.",
        ("offsets beyond k",),
    ),
    Mistake(
        rows_far_left_out,
        "Far pairs get no row. Clipping does not leave them out: they share the outermost row of "
        "their side.",
        ("offsets beyond k",),
    ),
    Mistake(
        rows_that_wrap_around,
        "Beyond k your rows begin again at the other end, so far to the right looks like left. "
        "Clip instead: all of them share the outermost row.",
        ("offsets beyond k",),
    ),
)


def memory_counts_one_position_less(B, H, T, d, k):  # noqa: N803
    pairs = (T - 1) ** 2
    products, table = B * H * T * (2 * k + 1), (2 * k + 1) * d
    held = {"per pair": B * H * pairs * d, "batched": pairs * d, "gather": products}
    return held | {"table": table, "scores": B * H * pairs}


def memory_without_a_token_and_itself(B, H, T, d, k):  # noqa: N803
    pairs = T * (T - 1)
    products, table = B * H * T * (2 * k + 1), (2 * k + 1) * d
    held = {"per pair": B * H * pairs * d, "batched": pairs * d, "gather": products}
    return held | {"table": table, "scores": B * H * pairs}


def memory_without_offset_zero(B, H, T, d, k):  # noqa: N803
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * 2 * k}
    return held | {"table": 2 * k * d, "scores": B * H * T * T}


def memory_without_a_clip(B, H, T, d, k):  # noqa: N803
    size = 2 * T - 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": size * d, "scores": B * H * T * T}


def memory_of_batched_for_each_head(B, H, T, d, k):  # noqa: N803
    size = 2 * k + 1
    pairs = B * H * T * T
    held = {"per pair": pairs * d, "batched": pairs * d, "gather": B * H * T * size}
    return held | {"table": size * d, "scores": pairs}


def memory_per_pair_shared(B, H, T, d, k):  # noqa: N803
    size = 2 * k + 1
    held = {"per pair": T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": size * d, "scores": B * H * T * T}


def memory_of_vectors_in_gather(B, H, T, d, k):  # noqa: N803
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size * d}
    return held | {"table": size * d, "scores": B * H * T * T}


def memory_of_what_gather_returns(B, H, T, d, k):  # noqa: N803
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * T}
    return held | {"table": (2 * k + 1) * d, "scores": B * H * T * T}


def memory_with_a_table_per_head(B, H, T, d, k):  # noqa: N803
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": H * size * d, "scores": B * H * T * T}


_PAIRS = "the forms with a vector for each pair"
_PRODUCTS = "the form with a product for each vector"
_REST = "what is learned, and the scores"
MEMORY = (
    Mistake(
        memory_counts_one_position_less,
        "You count (T − 1)² pairs. Every one of T queries looks at every one of T keys, itself "
        "included: count the entries of a score matrix.",
        (_PAIRS, _REST),
    ),
    Mistake(
        memory_without_a_token_and_itself,
        "You leave out the pair of a token and itself. It has a score like any other, at offset 0.",
        (_PAIRS, _REST),
    ),
    Mistake(
        memory_without_offset_zero,
        "Your table has 2k rows: offset 0 is missing between the k to the left and the k to the "
        "right.",
        (_PRODUCTS, _REST),
    ),
    Mistake(
        memory_without_a_clip,
        "2T − 1 is the number of offsets without a clip. With one, the table's size depends on k "
        "alone.",
        (_PRODUCTS, _REST),
    ),
    Mistake(
        memory_of_batched_for_each_head,
        "In the batched form all sentences and heads are rows of one product: the vectors of the "
        "pairs are there once.",
        (_PAIRS,),
    ),
    Mistake(
        memory_per_pair_shared,
        "The slow form multiplies element by element before it sums, so its largest tensor is "
        "that of the products: what is its shape?",
        (_PAIRS,),
    ),
    Mistake(
        memory_of_vectors_in_gather,
        "In the gather form a product with the table has summed over d already: one number for "
        "each query and each row of the table.",
        (_PRODUCTS,),
    ),
    Mistake(
        memory_of_what_gather_returns,
        "T² is what the gather form returns. Asked is what it reads from: the products of the "
        "queries with the table.",
        (_PRODUCTS,),
    ),
    Mistake(
        memory_with_a_table_per_head,
        "Shaw's vectors are shared by the heads: one table, each vector as wide as a head.",
        (_REST,),
    ),
)
