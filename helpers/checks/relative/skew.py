"""Unit 04, “Skew”: what it asks, and what people write instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch.nn.functional as F
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
)


@skew.mistake(
    "You cut the same columns out of every row. That fits query 0; query i should begin i "
    "columns further left."
)
def skew_without_moving(products):
    length = products.shape[-2]
    return products[..., length - 1 :]


@skew.mistake(
    "The extra column is on the wrong side: on the left it pushes each row by one, so each "
    "key reads the product of its left neighbour."
)
def skew_padded_on_the_left(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (1, 0)).flatten(-2)[..., length - 1 : length - 1 + length * width]
    return flat.unflatten(-1, (length, width))[..., :length]


@skew.mistake(
    "Pad left, reshape, drop the first row: that is the paper's recipe for T columns, where "
    "no key stands to the right. Here there are 2T − 1."
)
def skew_as_for_causal_models(products):
    length, width = products.shape[-2:]
    padded = F.pad(products, (1, 0))
    return padded.reshape(*products.shape[:-2], width + 1, length)[..., 1:, :]


@skew.mistake(
    "You read from the first number on. That is offset −(T − 1); query 0 and key 0 need "
    "offset 0. In which column is it?"
)
def skew_begun_at_the_first_number(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (0, 1)).flatten(-2)[..., : length * width]
    return flat.unflatten(-1, (length, width))[..., :length]


@skew.mistake(
    "You begin one number too late: columns count from 0, so offset 0 is not in column T."
)
def skew_begun_at_place_t(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (0, 1)).flatten(-2)[..., length : length + length * width]
    return flat.unflatten(-1, (length, width))[..., :length]


@skew.mistake(
    "You keep the last T columns after the shift. Each row has been moved so that key 0 is "
    "its first number."
)
def skew_kept_the_last_columns(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (0, 1)).flatten(-2)[..., length - 1 : length - 1 + length * width]
    return flat.unflatten(-1, (length, width))[..., length - 1 :]


@skew.mistake(
    "The shift is right, but each row still has 2T − 1 numbers. Only the first T belong to "
    "keys of this text."
)
def skew_kept_all_columns(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (0, 1)).flatten(-2)[..., length - 1 : length - 1 + length * width]
    return flat.unflatten(-1, (length, width))


@skew.mistake("Your result is transposed: queries are rows, keys are columns.")
def skew_turned_over(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (0, 1)).flatten(-2)[..., length - 1 : length - 1 + length * width]
    return flat.unflatten(-1, (length, width))[..., :length].transpose(-1, -2)


@skew.mistake(
    "You use i − j: keys to the left get the products of offsets to the right. Column r holds "
    "offset r − (T − 1), and offset means j − i.",
    breaks=("from the column of offset $j - i$", "Entry (i, j) is the product of query i"),
)
def skew_of_i_minus_j(products):
    length, width = products.shape[-2:]
    products = products.flip(-1)
    flat = F.pad(products, (0, 1)).flatten(-2)[..., length - 1 : length - 1 + length * width]
    return flat.unflatten(-1, (length, width))[..., :length]


@skew.mistake(
    "Your function needs exactly four axes. flatten(-2) and unflatten(-1, …) leave the axes "
    "in front alone, however many there are.",
    loses="any axes in front",
    breaks="There may be any axes in front",
)
def skew_for_four_axes_only(products):
    batch, heads, length, width = products.shape
    flat = F.pad(products, (0, 1)).reshape(batch, heads, -1)[:, :, length - 1 :]
    return flat[:, :, : length * width].reshape(batch, heads, length, width)[..., :length]


@skew.mistake(
    "You read the memory of products as if its rows followed one another, but after a "
    "transpose they do not. flatten and reshape copy where necessary; as_strided does not.",
    loses=("key j at offset j − i", "any axes in front"),
    breaks="in any order, as after a `transpose`",
)
def skew_of_memory_as_it_lies(products):
    *front, length, width = products.shape
    strides, step = [width - 1, 1], length * width
    for size in reversed(front):
        strides.insert(0, step)
        step *= size
    return products.as_strided((*front, length, length), strides, length - 1)


@skew.mistake(
    "as_strided counts from the beginning of the memory, but products may be a part of a "
    "larger tensor. Its last argument must also include products.storage_offset().",
    loses="any axes in front",
    breaks="in any order, as after a `transpose`",
)
def skew_from_the_beginning_of_the_memory(products):
    given, length = products.contiguous(), products.shape[-2]
    strides = (*given.stride()[:-2], 2 * length - 2, 1)
    return given.as_strided((*given.shape[:-2], length, length), strides, length - 1)
