"""Unit 04, “Skew”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.relative import common
from helpers.encodings import offsets as library

INDEXING = {"gather", "index", "index_select", "take"}


def _skew_case(products: Tensor) -> Case:
    return Case(
        f"(products of shape {tuple(products.shape)})", lambda answer: answer(products.clone())
    )


def _four_axes(rng: Random) -> Iterator[Case]:
    for length in (rng.randint(4, 6), rng.randint(7, 9)):
        yield _skew_case(common.normal_numbers(rng, 2, 3, length, 2 * length - 1))


def _other_axes(rng: Random) -> Iterator[Case]:
    length = rng.randint(4, 7)
    yield _skew_case(common.normal_numbers(rng, length, 2 * length - 1))
    yield _skew_case(common.normal_numbers(rng, 3, length, 2 * length - 1))


def _without_index(rng: Random) -> Iterator[Case]:
    length = rng.randint(4, 7)
    products = common.normal_numbers(rng, 2, 3, length, 2 * length - 1)

    def ask(answer: Answer) -> dict[str, Any]:
        with common.Meter() as meter:
            term = answer(products.clone())
        return {"the numbers": term, "nothing is read by index": not meter.operations & INDEXING}

    yield Case(f"(products of shape {tuple(products.shape)})", ask)


skew = Exercise(
    "skew",
    library.skew,
    (
        Part("key j at offset j − i", 1, _four_axes),
        Part("any axes in front", 0.5, _other_axes),
        Part("without an index", 0.5, _without_index),
    ),
    forbidden=(library.skew_padded, library.toeplitz, encodings.Huang, *common.TERMS),
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
    "The shift is right, and each row still has 2T − 1 numbers. Only the first T belong to "
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
    "Your sign is i − j: keys to the left get the products of offsets to the right. Column r "
    "holds offset r − (T − 1), and offset means j − i."
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
)
def skew_for_four_axes_only(products):
    batch, heads, length, width = products.shape
    flat = F.pad(products, (0, 1)).reshape(batch, heads, -1)[:, :, length - 1 :]
    return flat[:, :, : length * width].reshape(batch, heads, length, width)[..., :length]


@skew.mistake(
    "The numbers are right, read by an index. Here the same is asked with pad, flatten, slice "
    "and unflatten alone.",
    loses="without an index",
)
def skew_by_index(products):
    length = products.shape[-2]
    p = torch.arange(length)
    rows = p[None, :] - p[:, None] + length - 1
    return products.gather(-1, rows.expand(*products.shape[:-1], length))
