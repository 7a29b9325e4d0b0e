"""Unit 02, “Any width”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch

from helpers import encodings
from helpers.checks.engine import Case, Exercise, Part, call
from helpers.checks.engine.faults import KEPT
from helpers.checks.sinusoidal import common
from helpers.encodings.sinusoidal import sinusoids


def _odd(rng: Random) -> Iterator[Case]:
    first, second = common.odd_widths(rng)
    short = common.short_length(rng)
    length = common.random_length(rng)
    yield call(length, first)
    # A shorter table, twice, and a longer one: a table that is kept may have too many rows or too
    # few.
    yield call(short, first)
    yield call(short, first)
    yield call(length + rng.randint(1, 9), first)
    yield call(short, second)
    yield call(first, first)  # as many rows as columns
    yield call(short, second, base=round(common.large_base(rng)))  # a whole number
    yield call(common.long_length(rng), 3, base=common.small_base(rng))
    yield call(common.very_long_length(rng), 3)
    yield call(short, first, base=common.base_near_one(rng))
    yield call(short, first, base=common.huge_base(rng))
    yield call(1, second)
    # The other base first: a table that is kept for its width is told from a base left out.
    wide = common.wide(rng) + 1
    yield call(short, wide, base=common.large_base(rng))
    yield call(short, wide)
    yield common.slow_sines(rng, first)


def _still_even(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(common.short_length(rng), first)
    length = common.random_length(rng)
    yield call(length, second)
    yield call(common.short_length(rng), second)
    yield call(2, common.uneven_steps(rng))
    yield call(length, second, base=common.large_base(rng))
    yield call(length, 2, base=common.small_base(rng))
    yield call(common.very_long_length(rng), 4)
    yield call(1, first)
    yield call(length, first, base=common.base_near_one(rng))
    yield call(length, first, base=common.huge_base(rng))
    yield call(first, first)


def _single(rng: Random) -> Iterator[Case]:
    yield call(common.random_length(rng), 1)
    yield call(common.short_length(rng), 1)
    yield call(common.very_long_length(rng), 1, base=common.large_base(rng))
    yield call(rng.randint(33_000, 36_000), 1)  # here no angle is rounded
    yield call(1, 1)


any_width = Exercise(
    "any_width",
    encodings.sinusoidal_table,
    (
        Part("odd widths", 1, _odd),
        Part("even widths as before", 0.5, _still_even),
        Part("a single column", 0.5, _single),
    ),
    forbidden=(encodings.Sinusoidal, sinusoids, encodings.Rotary, encodings.Pope),
    explains=("The book's code fails",),
    generic={
        "returns a new table with each call": KEPT,
    },
)


@any_width.mistake(
    "An odd D lost its last column: d_model // 2 rounds down, but the last sine still belongs "
    "to the table, without a cosine beside it.",
    loses=("odd widths", "a single column"),
    breaks="works for odd and even $D$",
)
def width_one_column_short(num_positions, d_model, base=10_000.0):
    half = d_model // 2
    angles = torch.arange(num_positions)[:, None] * base ** (-2 * torch.arange(half) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


@any_width.mistake(
    "Your last column is zero. The formula has a sine for it. It is only the cosine after it that "
    "is left out.",
    loses=("odd widths", "a single column"),
    breaks="with an odd one the last column is a sine",
)
def width_padded_with_zeros(num_positions, d_model, base=10_000.0):
    half = d_model // 2
    angles = torch.arange(num_positions)[:, None] * base ** (-2 * torch.arange(half) / d_model)
    table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    return torch.nn.functional.pad(table, (0, d_model % 2))


@any_width.mistake(
    "Your exponent is 2i/(D+1) where D is odd, as in a table that is one column wider and cut to "
    "size. The formula keeps 2i/D for every D.",
    loses="odd widths",
    breaks="The formula works for odd",
)
def width_cut_from_a_wider_table(num_positions, d_model, base=10_000.0):
    wide = d_model + d_model % 2
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, wide, 2) / wide)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :d_model]


@any_width.mistake(
    "Sine and cosine have changed places: the even columns 0, 2, 4, … are sines, and so is the "
    "only column where D = 1.",
)
def width_sin_and_cos_swapped(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.cos(), angles.sin()], -1).flatten(1)[:, :d_model]


@any_width.mistake(
    "Your first row is position 1. Positions are counted from 0 in this table too, so each "
    "column of sines begins with 0.",
)
def width_positions_from_one(num_positions, d_model, base=10_000.0):
    positions = torch.arange(1, num_positions + 1)[:, None]
    angles = positions * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :d_model]


@any_width.mistake(
    "The argument base changes nothing here: a 10,000 is still written out.",
    loses=("odd widths", "even widths as before"),
    breaks="for any `base`",
)
def width_base_forgotten(num_positions, d_model, base=10_000.0):
    omega = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = torch.arange(num_positions)[:, None] * omega
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :d_model]


@any_width.mistake(
    "Your last column is the cosine of the last pair. Column D−1 is even when D is odd, and "
    "even columns are sines.",
    loses=("odd widths", "a single column"),
    breaks="a sine without a cosine",
)
def width_ends_in_a_cosine(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    return torch.cat([table[:, : d_model - d_model % 2], table[:, d_model:]], 1)


@any_width.mistake(
    "At D = 1 there is no pair of a sine and a cosine, and your code needs at least one. The "
    "table is then a single column of sines.",
    loses="a single column",
    breaks="down to $D = 1$",
)
def width_needs_a_pair(num_positions, d_model, base=10_000.0):
    p = torch.arange(num_positions).double()
    pairs = [p / base ** (2 * i / d_model) for i in range(d_model // 2)]
    table = torch.stack([wave for a in pairs for wave in (a.sin(), a.cos())], 1)
    last = (p / base ** ((d_model - 1) / d_model)).sin()[:, None]
    return torch.cat([table, last], 1) if d_model % 2 else table
