"""Unit 02, “The table”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch

from helpers import encodings
from helpers.checks.engine import Case, Exercise, Part, call, rehearsed
from helpers.checks.engine.faults import KEPT
from helpers.checks.sinusoidal import common
from helpers.encodings.sinusoidal import sinusoids


def _default_base(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    length, short = common.random_length(rng), common.short_length(rng)
    yield call(length, second)
    # A shorter table, twice, and a longer one: a table that is kept may have too many rows or too
    # few.
    yield call(short, second)
    yield call(short, second)
    yield call(length + rng.randint(1, 9), second)
    yield call(common.short_length(rng), first)
    yield call(length, 2)
    yield call(2, common.uneven_steps(rng))
    yield call(common.long_length(rng), rng.choice([4, 6]))
    yield call(common.very_long_length(rng), 4)
    yield call(1, second + 24)
    yield call(common.short_length(rng), common.wide(rng) + 600)
    yield common.slow_sines(rng, first)
    yield common.slow_hands(rng)
    yield call(first, first)  # as many rows as columns
    # With D = 2 no angle is rounded in float32, however long the table is.
    yield call(rng.randint(5_100, 5_400), 2)
    length = rng.randint(33_000, 36_000)  # of the sines alone: an angle plus π/2 would be rounded
    yield Case(f"the first column of ({length}, 2)", lambda answer: answer(length, 2)[:, 0])
    yield rehearsed(call(1, 2))


def _other_base(rng: Random) -> Iterator[Case]:
    length, (first, second) = common.random_length(rng), common.even_widths(rng)
    short, large, small = common.short_length(rng), common.large_base(rng), common.small_base(rng)
    # The other base first, in a width that no case had before: a table that is kept for its width
    # only is told from one that leaves the base out.
    yield call(length, first + 16, base=large)
    yield call(length, first + 16)
    yield call(short, first + 16, base=large)
    yield call(short, second, base=small)
    yield call(short, second, base=small)
    yield call(length, second, base=small)
    yield call(length, 2, base=round(large))  # a whole number
    yield call(short, first, base=common.base_near_one(rng))
    yield call(short, first, base=common.huge_base(rng))


table = Exercise(
    "table",
    encodings.sinusoidal_table,
    (
        Part("the paper's base", 2, _default_base),
        Part("any other base", 1, _other_base),
    ),
    forbidden=(encodings.Sinusoidal, sinusoids, encodings.Rotary, encodings.Pope),
    explains=("Write `sinusoidal_table`.", "`d_model` is even"),
    generic={
        "a new one with each call": KEPT,
    },
)


@table.mistake(
    "Sine and cosine have changed places: the formula puts the sine in the even columns "
    "0, 2, 4, …, so row 0 reads 0, 1, 0, 1, …",
    breaks="$2i$ is the sine and column $2i+1$ the cosine",
)
def table_sin_and_cos_swapped(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.cos(), angles.sin()], -1).flatten(1)


@table.mistake(
    "All your sines come first and all cosines after them. Some libraries do that, but the "
    "paper's formula interleaves: sin, cos, sin, cos, …"
)
def table_halves_concatenated(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.cat([angles.sin(), angles.cos()], -1)


@table.mistake(
    "Your exponent is i/D, the paper's is 2i/D: your frequencies are only the square roots of the "
    "right ones, so the slow hands are too fast.",
    breaks="PE(p, 2i) = sin(p·ω_i)",
)
def table_exponent_i(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(d_model // 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


@table.mistake(
    "Each of your columns has a frequency of its own. Columns 2i and 2i+1 share one: the "
    "exponent of the cosine is 2i/D as well."
)
def table_exponent_of_each_column(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(d_model) / d_model)
    return torch.stack([angles[:, 0::2].sin(), angles[:, 1::2].cos()], -1).flatten(1)


@table.mistake(
    "You divide the exponent by D/2 − 1, as tensor2tensor and the libraries that followed it "
    "do. The paper's formula divides by D/2."
)
def table_one_frequency_less_in_the_exponent(num_positions, d_model, base=10_000.0):
    half = d_model // 2
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(half) / (half - 1))
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


@table.mistake(
    "Your first row is position 1. Positions are counted from 0, so row 0 reads 0, 1, 0, 1, …",
    breaks="row $p$ is position $p$, counted from 0",
)
def table_positions_from_one(num_positions, d_model, base=10_000.0):
    positions = torch.arange(1, num_positions + 1)[:, None]
    angles = positions * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


@table.mistake(
    "The angle p·ω is in radians already; converting it from degrees makes every wave 57 "
    "times too long."
)
def table_in_degrees(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    angles = angles.deg2rad()
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


@table.mistake(
    "The argument base changes nothing in your table: a 10,000 is still written out somewhere, or "
    "kept from an earlier call.",
    loses="any other base",
    breaks="(any number above 1) stands for the 10,000",
)
def table_base_forgotten(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * 10_000.0 ** (
        -torch.arange(0, d_model, 2) / d_model
    )
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


@table.mistake(
    "Your frequencies grow with the column. The power of base should divide the "
    "position: its exponent is negative."
)
def table_angles_multiplied(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.double().sin(), angles.double().cos()], -1).flatten(1)


@table.mistake("Your table is transposed: each row should be a position, (T, D); yours is (D, T).")
def table_on_its_side(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1).T
