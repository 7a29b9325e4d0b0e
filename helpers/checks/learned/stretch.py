"""Unit 03, “Stretching a table”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, differentiated
from helpers.checks.learned import common
from helpers.encodings.cope import between


def stretched(table: Tensor, length: int) -> Tensor:
    """`table` (T, D) read at `length` places from its first row to its last; (length, D)."""
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    fraction = (places - low)[:, None]
    return ((1 - fraction) * table[low] + fraction * table[low + 1]).to(table.dtype)


def _rows(rng: Random, least: int = 8, most: int = 14) -> Tensor:
    return common.normal_numbers(rng, rng.randint(least, most), rng.randint(4, 7))


def _longer(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)
    yield call(rows, 2 * len(rows))
    length = len(rows) + rng.randint(2, 5)
    yield call(rows, length)
    yield call(rows.flip(0), length)  # the same shapes once more
    yield call(rows[:2], rng.randint(3, 9))
    wide = common.normal_numbers(rng, rng.randint(3, 5), rng.randint(8, 12))
    yield call(wide, len(wide) + 1)
    yield call(wide, 40 * len(wide) + rng.randint(1, 9))
    yield call(rows[:, :1], length)
    # Here an arange in fractions ends one step too late.
    yield call(common.normal_numbers(rng, 12, 4), rng.choice([16, 31, 61]))
    # Places that are nearly whole, between rows that differ much.
    yield call(100 * rows[:5], 1_500 + 2 * rng.randint(1, 20))
    # More rows than a byte counts; small numbers, so that places may be rounded to float32.
    many = common.normal_numbers(rng, rng.randint(260, 300), 2) / 10
    yield call(many, rng.randint(520, 700))
    many = common.normal_numbers(rng, rng.randint(1_020, 1_100), 2) / 50
    yield call(many, rng.randint(2_050, 2_200))
    yield call(common.normal_numbers(rng, 3, 1), rng.randint(4_100, 4_200))
    square = common.normal_numbers(rng, len(rows), len(rows))
    yield call(square, length)
    yield call(common.normal_numbers(rng, 4, rng.randint(65, 80)), 9)


def _ends(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)
    length = 2 * len(rows) + rng.randint(2, 6)
    yield Case(
        f"the first and the last row of (tensor of shape {tuple(rows.shape)}, {length})",
        lambda answer: answer(rows.clone(), length)[[0, -1]],
    )
    yield call(rows, len(rows))
    yield call(rows[:2], 2)


def _shorter(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)
    steps = len(rows) - 1
    # A length at which places do not fall on old rows.
    fewer = [n for n in range(steps - 4, steps) if steps % n]
    yield call(rows, rng.choice(fewer) + 1)
    # Transposed, so that no row lies in one piece of memory.
    wide = common.normal_numbers(rng, rng.randint(9, 12), 2 * rng.randint(3, 4)).T
    yield call(wide, 2)
    yield call(common.normal_numbers(rng, 18, 3), 8)  # here arange ends too late as well
    yield call(wide, 3)  # an even number of rows has none in the middle


def _backwards(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)

    def ask(answer: Answer) -> dict[str, Any]:
        given = rows.clone()
        found = answer(given, len(rows) - 2)
        return {
            "it returns a": type(found).__name__,
            "the table requires gradients afterwards": given.requires_grad,
        }

    yield Case("(table, length)", ask)
    length = len(rows) + rng.randint(2, 5)
    yield differentiated(in_bfloat16=False, table=rows, length=length)
    words = " for a text as long as the table"
    yield differentiated(words, in_bfloat16=False, table=rows, length=len(rows))
    words = " for a text shorter than the table"
    yield differentiated(words, in_bfloat16=False, table=rows, length=len(rows) - 2)
    for words, few, length in (
        (" for a text of 2 tokens", rows, 2),
        (" for a text of 3 tokens", rows, 3),
        (" for a text where each step is a half", rows, 2 * len(rows) - 1),
        (" of a table of two rows", rows[:2], rng.randint(4, 9)),
    ):
        yield differentiated(words, in_bfloat16=False, table=few, length=length)
    yield differentiated(
        " of a table that was computed", of=_of_a_copy, in_bfloat16=False, table=rows, length=length
    )
    for length in (len(rows), len(rows) + rng.randint(2, 5), len(rows) - 2):
        yield _fine(rows.double(), length)


def _fine(rows: Tensor, length: int) -> Case:
    """By how much the result changes with a change of 1e−9, times 1e9; float32 shows none."""
    tables = rows, rows + 1e-9 * rows.flip(0, 1)

    def ask(answer: Answer) -> Any:
        found = [answer(each.clone(), length) for each in tables]
        if any(type(each) is not Tensor for each in found):
            return found[0]
        return (found[1] - found[0]) * 1e9

    return Case("(table, length) in float64, digits beyond float32, as from a change of 1e-9", ask)


def _of_a_copy(answer: Answer) -> Answer:
    return lambda table, length: answer(table.clone(), length)


# What `F.interpolate` is made of, by its compiled names.
_COMPILED = tuple(
    kernel
    for name in (
        *("upsample_linear1d", "upsample_bilinear2d", "upsample_bicubic2d"),
        "upsample_trilinear3d",
    )
    for kernel in (getattr(torch._C._nn, name), getattr(torch.ops.aten, name)._op)
)

stretch = Exercise(
    "stretch",
    stretched,
    (
        Part("longer than the table", 0.5, _longer),
        Part("the ends, and the same length", 0.5, _ends),
        Part("shorter than the table", 0.5, _shorter),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(F.interpolate, encodings.Learned, between, *_COMPILED),
    explains=("of the old table", "$T$ and `length` are at least 2"),
)


@stretch.mistake(
    "Each of your rows is a copy of the nearest old one, so some occur twice. Between two old "
    "rows, take a mixture of both.",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
    breaks="take the mixture of the two rows around it",
)
def stretch_to_the_nearest_row(table, length):
    return table[torch.linspace(0, len(table) - 1, length).round().long()]


@stretch.mistake(
    "You round s_n down and lose its fraction. The fraction says how much of the next row to "
    "mix in.",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
)
def stretch_to_the_row_below(table, length):
    return table[torch.linspace(0, len(table) - 1, length).floor().long()]


@stretch.mistake(
    "You read at the points that image code uses for its pixels: half a step in from the edges "
    "(align_corners=False). Here the first row stays the first and the last row stays the last.",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
    breaks=("The first row stays the first", "evenly from first row to last"),
)
def stretch_between_pixel_edges(table, length):
    """What F.interpolate does unless it is told align_corners=True."""
    n = len(table)
    places = (((torch.arange(length) + 0.5) * n / length) - 0.5).clamp(0, n - 1)
    low = places.floor().long().clamp(max=n - 2)
    return torch.lerp(table[low], table[low + 1], (places - low)[:, None].to(table.dtype))


@stretch.mistake(
    "Your step is T / length, so the last new row is not the last old row. How many steps are "
    "there between `length` rows?",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
    breaks=("T - 1}{\\text{length} - 1}", "new row $n$ is read at position"),
)
def stretch_with_too_long_a_step(table, length):
    n = len(table)
    places = torch.arange(length) * n / length
    low = places.floor().long().clamp(max=n - 1)
    high = (low + 1).clamp(max=n - 1)
    return torch.lerp(table[low], table[high], (places - low)[:, None].to(table.dtype))


@stretch.mistake("Your s_n end at T. The rows are counted from 0, so the last one is not row T.")
def stretch_beyond_the_last_row(table, length):
    n = len(table)
    places = torch.linspace(0, n, length, dtype=torch.float64).clamp(max=n - 1)
    low = places.long().clamp(max=n - 2)
    return torch.lerp(table[low], table[low + 1], (places - low)[:, None].to(table.dtype))


@stretch.mistake(
    "For the last row you also read the row after it, and there is none. Hint 2 of the "
    "exercise says what to do."
)
def stretch_without_a_row_above(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.floor().long()
    fraction = (places - low)[:, None].to(table.dtype)
    return (1 - fraction) * table[low] + fraction * table[low + 1]


@stretch.mistake(
    "After the last row you start again with the first. The old rows should be spread over the "
    "whole new length."
)
def stretch_by_repeating_the_table(table, length):
    return table[torch.arange(length) % len(table)]


@stretch.mistake(
    "You keep the old rows where they are and repeat the last. The old rows should be spread "
    "over the whole new length.",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
)
def stretch_by_repeating_the_last_row(table, length):
    return table[torch.arange(length).clamp(max=len(table) - 1)]


@stretch.mistake(
    "Rows beyond the old ones are zero. The old rows should be spread over the whole new length."
)
def stretch_with_zeros(table, length):
    rows = torch.zeros(length, table.shape[1], dtype=table.dtype)
    n = min(length, len(table))
    rows[:n] = table[:n]
    return rows


@stretch.mistake(
    "You have interpolated along a row, between its columns. Interpolate down each column: the "
    "positions are the first axis.",
    breaks=("it makes one of shape `(length, D)`", "(T, D) → (length, D)"),
)
def stretch_along_the_width(table, length):
    width = table.shape[1]
    places = torch.linspace(0, width - 1, length)
    low = places.long().clamp(max=width - 2)
    fraction = (places - low).to(table.dtype)
    return (1 - fraction) * table[:, low] + fraction * table[:, low + 1]


@stretch.mistake(
    "The two weights are swapped: just after an old row, the result should be nearly that row.",
    breaks="$s_n = 2.25$ gives",
)
def stretch_with_weights_swapped(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    fraction = (places - low)[:, None].to(table.dtype)
    return fraction * table[low] + (1 - fraction) * table[low + 1]


@stretch.mistake(
    "For a shorter text you cut the table off. It should be compressed: the last row stays the "
    "last.",
    loses=("shorter than the table", "dtype and gradients"),
    breaks="`length` may be smaller than $T$",
)
def stretch_only_longer(table, length):
    if length <= len(table):
        return table[:length]
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    return torch.lerp(table[low], table[low + 1], (places - low)[:, None].to(table.dtype))
