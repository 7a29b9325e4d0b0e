"""Unit 04, “Multiply first, then read”: what it asks."""

from __future__ import annotations

from functools import partial

from torch import Tensor

from helpers.checks.engine import Exercise, Part
from helpers.checks.relative import common
from helpers.encodings import offsets as library


def key_term_by_gather(q: Tensor, vectors: Tensor, rows: Tensor) -> Tensor:
    """Return the same as one product with all vectors, read by index."""
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
    explains=("This is asked only where",),
    module=__name__,
)
