"""Unit 04: what people write instead of the skew."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from helpers.checks.exercise import Mistake


def skew_without_moving(products):
    length = products.shape[-2]
    return products[..., length - 1 :]


def skew_padded_on_the_left(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (1, 0)).flatten(-2)[..., length - 1 : length - 1 + length * width]
    return flat.unflatten(-1, (length, width))[..., :length]


def skew_as_for_causal_models(products):
    length, width = products.shape[-2:]
    padded = F.pad(products, (1, 0))
    return padded.reshape(*products.shape[:-2], width + 1, length)[..., 1:, :]


def skew_begun_at_the_first_number(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (0, 1)).flatten(-2)[..., : length * width]
    return flat.unflatten(-1, (length, width))[..., :length]


def skew_begun_at_place_t(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (0, 1)).flatten(-2)[..., length : length + length * width]
    return flat.unflatten(-1, (length, width))[..., :length]


def skew_kept_the_last_columns(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (0, 1)).flatten(-2)[..., length - 1 : length - 1 + length * width]
    return flat.unflatten(-1, (length, width))[..., length - 1 :]


def skew_kept_all_columns(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (0, 1)).flatten(-2)[..., length - 1 : length - 1 + length * width]
    return flat.unflatten(-1, (length, width))


def skew_turned_over(products):
    length, width = products.shape[-2:]
    flat = F.pad(products, (0, 1)).flatten(-2)[..., length - 1 : length - 1 + length * width]
    return flat.unflatten(-1, (length, width))[..., :length].transpose(-1, -2)


def skew_of_i_minus_j(products):
    length, width = products.shape[-2:]
    products = products.flip(-1)
    flat = F.pad(products, (0, 1)).flatten(-2)[..., length - 1 : length - 1 + length * width]
    return flat.unflatten(-1, (length, width))[..., :length]


def skew_for_four_axes_only(products):
    batch, heads, length, width = products.shape
    flat = F.pad(products, (0, 1)).reshape(batch, heads, -1)[:, :, length - 1 :]
    return flat[:, :, : length * width].reshape(batch, heads, length, width)[..., :length]


def skew_by_index(products):
    length = products.shape[-2]
    p = torch.arange(length)
    rows = p[None, :] - p[:, None] + length - 1
    return products.gather(-1, rows.expand(*products.shape[:-1], length))


_NUMBERS, _AXES, _INDEX = "key j at offset j − i", "any axes in front", "without an index"
_ALL = (_NUMBERS, _AXES, _INDEX)
SKEW = (
    Mistake(
        skew_without_moving,
        "You cut the same columns out of every row. That fits query 0; query i should begin i "
        "columns further left.",
        _ALL,
    ),
    Mistake(
        skew_padded_on_the_left,
        "The extra column is on the wrong side: on the left it pushes each row by one, so each "
        "key reads the product of its left neighbour.",
        _ALL,
    ),
    Mistake(
        skew_as_for_causal_models,
        "Pad left, reshape, drop the first row: that is the paper's recipe for T columns, where "
        "no key stands to the right. Here there are 2T − 1.",
        _ALL,
    ),
    Mistake(
        skew_begun_at_the_first_number,
        "You read from the first number on. That is offset −(T − 1); query 0 and key 0 need "
        "offset 0. In which column is it?",
        _ALL,
    ),
    Mistake(
        skew_begun_at_place_t,
        "You begin one number too late: columns count from 0, so offset 0 is not in column T.",
        _ALL,
    ),
    Mistake(
        skew_kept_the_last_columns,
        "You keep the last T columns after the shift. Each row has been moved so that key 0 is "
        "its first number.",
        _ALL,
    ),
    Mistake(
        skew_kept_all_columns,
        "The shift is right, and each row still has 2T − 1 numbers. Only the first T belong to "
        "keys of this text.",
        _ALL,
    ),
    Mistake(
        skew_turned_over,
        "Your result is transposed: queries are rows, keys are columns.",
        _ALL,
    ),
    Mistake(
        skew_of_i_minus_j,
        "Your sign is i − j: keys to the left get the products of offsets to the right. Column r "
        "holds offset r − (T − 1), and offset means j − i.",
        _ALL,
    ),
    Mistake(
        skew_for_four_axes_only,
        "Your function needs exactly four axes. flatten(-2) and unflatten(-1, …) leave the axes "
        "in front alone, however many there are.",
        (_AXES,),
    ),
    Mistake(
        skew_by_index,
        "The numbers are right, read by an index. Here the same is asked with pad, flatten, slice "
        "and unflatten alone.",
        (_INDEX,),
    ),
)
