"""Unit 04, “The value term”: what it asks."""

from __future__ import annotations

from functools import partial

from torch import Tensor

from helpers.checks.engine import DTYPE, IN_PLACE, NO_GRADIENT, Exercise, Part
from helpers.checks.relative import common


def value_term(weights: Tensor, vectors: Tensor, rows: Tensor) -> Tensor:
    """Return Σ_j α_ij vectors[rows_ij], the weights summed by row first."""
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    return by_row.scatter_add(-1, rows.expand_as(weights), weights) @ vectors


values = Exercise(
    "values",
    value_term,
    (
        Part("rows by offset", 0.5, partial(common.cases_by_offset, name="weights")),
        Part("any row for any pair", 0.5, partial(common.cases_by_any_row, name="weights")),
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
