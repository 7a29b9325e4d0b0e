"""Unit 04, “The key term, pair by pair”: what it asks."""

from __future__ import annotations

from functools import partial

from torch import Tensor

from helpers.checks.engine import IN_PLACE, NO_GRADIENT, Exercise, Part
from helpers.checks.relative import common


def key_term_by_pair(q: Tensor, vectors: Tensor, rows: Tensor) -> Tensor:
    """Return q_i · vectors[rows_ij], with a copy of the vector for each pair, sentence and head."""
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
    module=__name__,
)
