"""Unit 04, “The value term”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import torch
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part, call
from helpers.checks.engine.faults import DTYPE, IN_PLACE, NO_GRADIENT
from helpers.checks.relative import common


def value_term(weights: Tensor, vectors: Tensor, rows: Tensor) -> Tensor:
    """Σ_j α_ij vectors[rows_ij], the weights summed by row first."""
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.expand_as(weights), weights) @ vectors


def _cases_by_any_row(rng: Random) -> Iterator[Case]:
    """Weights as attention makes them, and any numbers, some of them below 0 or above 1."""
    yield from common.cases_by_any_row(rng, "weights")
    length, width = rng.randint(5, 6), rng.randint(7, 9)
    weights = common.normal_numbers(rng, 2, 3, length, length)
    rows, vectors = common.any_rows(rng, length, 4), common.normal_numbers(rng, 4, width)
    yield call(weights, vectors, rows).labelled("(weights some of which are negative, …)")


values = Exercise(
    "values",
    value_term,
    (
        Part("rows by offset", 0.5, partial(common.cases_by_offset, name="weights")),
        Part("any row for any pair", 0.5, _cases_by_any_row),
        Part("no vector for each pair", 0.5, partial(common.cases_of_memory, name="weights")),
        Part("dtype and gradients", 0.5, partial(common.cases_backwards, name="weights")),
    ),
    forbidden=common.MODULES,
    explains=("This is asked only where",),
    generic={
        "has the dtype of `weights`": DTYPE,
        "Gradients must reach `weights` and `vectors`": NO_GRADIENT,
        "no argument is modified in place": IN_PLACE,
    },
)


@values.mistake(
    "Query and key have changed places in rows: α_ij belongs to rows[i, j].",
    breaks="Σ_j α_ij vectors[rows_ij]",
)
def value_rows_transposed(weights, vectors, rows):
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.T.expand_as(weights), weights) @ vectors


@values.mistake(
    "You add up over the queries i. A query collects from all keys: the sum runs over j, the "
    "last axis of the weights.",
    breaks="the second sum",
)
def value_summed_over_queries(weights, vectors, rows):
    weights = weights.transpose(-2, -1)
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.T.expand_as(weights), weights) @ vectors


@values.mistake(
    "Where several keys share a row, only the last one counts. Their weights have to be added "
    "up: scatter_add, not scatter."
)
def value_weights_overwritten(weights, vectors, rows):
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter(-1, rows.expand_as(weights), weights) @ vectors


@values.mistake(
    "The weights change nothing: every key counts the same. The vector of a key the query "
    "does not look at should hardly count."
)
def value_without_weights(weights, vectors, rows):
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.expand_as(weights), torch.ones_like(weights)) @ vectors


@values.mistake(
    "You take the mean of the weights that share a row. Two keys far to the left with a weight "
    "of 0.3 each count 0.6 together."
)
def value_averaged_by_row(weights, vectors, rows):
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    index = rows.expand_as(weights)
    sums = by_row.scatter_add(-1, index, weights)
    counts = by_row.scatter_add(-1, index, torch.ones_like(weights))
    return sums / counts.clamp(min=1) @ vectors


@values.mistake(
    "The numbers are right, but vectors[rows] makes a vector for each pair. Add the weights "
    "up by row first; then a single product is left.",
    loses="no vector for each pair",
    breaks="no single tensor may hold",
)
def value_of_a_vector_per_pair(weights, vectors, rows):
    return torch.einsum("bhij,ijd->bhid", weights, vectors[rows])


@values.mistake(
    "You take a softmax, but the weights have been through it already: they are α, not the scores.",
    breaks="`weights` is $\\alpha$",
)
def value_softmax_again(weights, vectors, rows):
    weights = weights.softmax(-1)
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.expand_as(weights), weights) @ vectors


@values.mistake(
    "You have joined the heads. The caller first adds your result to weights·v, which is (B, "
    "H, T, d); the heads are joined later.",
    breaks="the result is $(B, H, T, d)$",
)
def value_heads_joined(weights, vectors, rows):
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    term = by_row.scatter_add(-1, rows.expand_as(weights), weights) @ vectors
    return term.transpose(1, 2).flatten(2)


@values.mistake(
    "Your heads share one set of weights. Each has its own; only the vectors are shared."
)
def value_heads_averaged(weights, vectors, rows):
    weights = weights.mean(1, keepdim=True).expand_as(weights)
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.expand_as(weights), weights) @ vectors


@values.mistake(
    "The argument rows changes nothing: you work out offsets of your own.",
    loses="any row for any pair",
    breaks="may hold any rows",
)
def value_rows_ignored(weights, vectors, rows):
    p = torch.arange(len(rows))
    k = len(vectors) // 2
    rows = (p[None, :] - p[:, None]).clamp(-k, k) + k
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.expand_as(weights), weights) @ vectors


@values.mistake(
    "These are the weights by row, (B, H, T, 2k + 1). The vectors themselves are still to come."
)
def value_weights_by_row_only(weights, vectors, rows):
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.expand_as(weights), weights)


@values.mistake(
    "You divide by the sum of a query's weights, which restores what dropout has removed. Add "
    "the weights up as they are.",
    breaks="Take the weights as they are",
)
def value_of_weights_that_add_up_to_1(weights, vectors, rows):
    weights = weights / weights.sum(-1, keepdim=True)
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.expand_as(weights), weights) @ vectors


@values.mistake(
    "You clip the weights at 0, or take their absolute values. Weights may be of either sign "
    "here: add them up as they are.",
    loses="any row for any pair",
    breaks="Take the weights as they are",
)
def value_of_weights_cut_off_at_0(weights, vectors, rows):
    weights = weights.clamp(min=0)
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.expand_as(weights), weights) @ vectors


@values.mistake(
    "Without gradients you add up by row; where they are needed, as in training, there is a "
    "vector for each pair again. It is training that needs the memory most.",
    loses="no vector for each pair",
    breaks="no single tensor may hold",
)
def value_of_a_vector_per_pair_in_training(weights, vectors, rows):
    if weights.requires_grad:
        return torch.einsum("bhij,ijd->bhid", weights, vectors[rows])
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.expand_as(weights), weights) @ vectors


@values.mistake(
    "The numbers are right, but every sentence and head multiplies a vector for each pair. Add "
    "the weights up by row first; then a single product is left.",
    loses="no vector for each pair",
)
def value_of_a_product_per_pair(weights, vectors, rows):
    return (weights[..., None] * vectors[rows]).sum(-2)
