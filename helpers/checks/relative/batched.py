"""Unit 04, “Shaw's batched product”: what it asks."""

from __future__ import annotations

from functools import partial

from torch import Tensor

from helpers.checks.engine import DTYPE, NO_GRADIENT, Exercise, Part
from helpers.checks.relative import common


def key_term_batched(q: Tensor, vectors: Tensor, rows: Tensor) -> Tensor:
    """Return the same as T products of a (B·H, d) and a (d, T) matrix."""
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
    module=__name__,
)
