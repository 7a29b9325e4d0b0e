"""Unit 04, “The value term”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

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
    module=__name__,
)
