"""Unit 04, “Skew”: what it asks, and what people write instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, differentiated, digits
from helpers.checks.engine.faults import DTYPE, IN_PLACE, NO_GRADIENT
from helpers.checks.relative import common
from helpers.checks.relative.skew_watch import without_index
from helpers.encodings import offsets as library


def _skew_case(products: Tensor, words: str = "") -> Case:
    return call(products).labelled(f"(products of shape {tuple(products.shape)}{words})")


def _four_axes(rng: Random) -> Iterator[Case]:
    length = rng.randint(7, 9)
    yield _skew_case(common.normal_numbers(rng, 2, 3, length, 2 * length - 1))
    yield _skew_case(common.normal_numbers(rng, 2, 3, length, 2 * length - 1))
    large = 1000 * common.normal_numbers(rng, 2, 2, 4, 7)
    yield _skew_case(large, f", with numbers up to {large.abs().max().item():.0f}")
    for length in (1, 2, rng.randint(4, 6), rng.randint(210, 230)):
        yield _skew_case(common.normal_numbers(rng, 3, 2, length, 2 * length - 1))


def _in_any_order(rng: Random) -> Iterator[Case]:
    length = rng.randint(4, 6)
    products = common.normal_numbers(rng, 2, 3, 2 * length - 1, length).mT
    yield _skew_case(products, ", column after column in memory")
    products = common.normal_numbers(rng, 3, 2, length, 2 * length - 1).transpose(0, 1)
    yield _skew_case(products, ", the heads in front in memory")


def _other_axes(rng: Random) -> Iterator[Case]:
    for front in ((), (rng.randint(2, 3),), (2, 1, 3)):
        length = rng.randint(4, 7)
        yield _skew_case(common.normal_numbers(rng, *front, length, 2 * length - 1))
        products = common.normal_numbers(rng, 2 * length - 1, length, *front)
        order = (*range(2, products.dim()), 1, 0)
        yield _skew_case(products.permute(order), ", the columns in front in memory")
    wide = common.normal_numbers(rng, 3, length + 1, 2 * length + 2)[1:, 1:, 2:-1]
    yield _skew_case(wide, ", a part of a larger tensor")
    yield _skew_case(wide[0], ", a part of a larger tensor")
    stacked = common.normal_numbers(rng, 3, 2, length, 2 * length - 1)
    yield _skew_case(stacked[1:], ", behind others in memory")
    yield _skew_case(stacked[2], ", behind others in memory")
    yield _skew_case(wide[:1].expand(3, -1, -1), ", the same memory three times")
    for size in (1, 2, 3, 4):  # as many sentences or heads as tokens, or as columns
        columns = 2 * size - 1
        yield _skew_case(common.normal_numbers(rng, size, columns, size, columns))


def _backwards(rng: Random) -> Iterator[Case]:
    length = rng.randint(4, 6)
    products = common.normal_numbers(rng, 2, 3, length, 2 * length - 1)
    yield differentiated(products=products)
    for front in ((), (2,)):
        fewer = common.normal_numbers(rng, *front, length, 2 * length - 1)
        label = f"(products of shape {tuple(fewer.shape)}) in float64"
        yield Case(label, partial(_keeps, fewer.double()))
    label = f"(products of shape {tuple(products.shape)})"
    yield digits(label, products)


def _keeps(products: Tensor, answer: Answer) -> dict[str, Any]:
    """Without the numbers, and without what stops an answer: another part asks for those."""
    given = found = products.clone().requires_grad_()
    with contextlib.suppress(Exception):
        found = answer(given)
    if isinstance(found, Tensor) and found.requires_grad:
        found.sum().backward()
    return {
        "its dtype": str(getattr(found, "dtype", "none")),
        "a gradient reaches products": given.grad is not None and bool(given.grad.any()),
    }


skew = Exercise(
    "skew",
    library.skew,
    (
        Part("key j at offset j − i", 0.5, lambda rng: (*_four_axes(rng), *_in_any_order(rng))),
        Part("any axes in front", 0.5, _other_axes),
        Part("without an index", 0.5, without_index),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(
        *(library.skew_padded, library.toeplitz, library._Toeplitz, encodings.Huang),
        *common.TERMS,
    ),
    explains=("are all you need",),
    generic={
        "gradients must reach `products`": NO_GRADIENT,
        "The result has the dtype of `products`": DTYPE,
        "`products` is not modified in place": IN_PLACE,
    },
    module=__name__,
)
