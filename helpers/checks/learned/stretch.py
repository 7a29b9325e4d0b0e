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
    # More rows than a byte counts; small numbers, so that places may be rounded to float32.
    many = common.normal_numbers(rng, rng.randint(260, 300), 2) / 10
    yield call(many, rng.randint(520, 700))
    many = common.normal_numbers(rng, rng.randint(1_020, 1_100), 2) / 50
    yield call(many, rng.randint(2_050, 2_200))
    square = common.normal_numbers(rng, len(rows), len(rows))
    yield call(square, length)


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
    yield call(wide, 3)  # an even number of rows has none in the middle


def _backwards(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)

    def ask(answer: Answer) -> dict[str, Any]:
        given = rows.clone()
        found = answer(given, len(rows) - 2)
        return {
            "it returns a": type(found).__name__,
            "the table asks for gradients afterwards": given.requires_grad,
        }

    yield Case("(table, length)", ask)
    length = len(rows) + rng.randint(2, 5)
    yield differentiated(in_bfloat16=False, table=rows, length=length)
    yield differentiated(
        " of a table that was computed", of=_of_a_copy, in_bfloat16=False, table=rows, length=length
    )


def _of_a_copy(answer: Answer) -> Answer:
    return lambda table, length: answer(table.clone(), length)


stretch = Exercise(
    "stretch",
    stretched,
    (
        Part("longer than the table", 0.5, _longer),
        Part("the ends, and the same length", 0.5, _ends),
        Part("shorter than the table", 0.5, _shorter),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(F.interpolate, encodings.Learned),
    explains=("of the old table", "$T$ and `length` are at least 2"),
)


@stretch.mistake(
    "Each of your rows is a copy of the nearest old one, so some stand there twice. Between "
    "two old rows lies a mixture of both.",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
    breaks="take the mixture of the two rows around it",
)
def stretch_to_the_nearest_row(table, length):
    return table[torch.linspace(0, len(table) - 1, length).round().long()]


@stretch.mistake(
    "You round the place down and lose its fraction. The fraction says how much of the next "
    "row to mix in.",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
)
def stretch_to_the_row_below(table, length):
    return table[torch.linspace(0, len(table) - 1, length).floor().long()]


@stretch.mistake(
    "Your places are those of pixels, as image code has them: half a step in from the edges "
    "(align_corners=False). Here old row 0 is new row 0, and last is last.",
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
    "Your step between places is T / length, so the last place is not the last old row. How "
    "many steps are there between `length` rows?",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
    breaks=("T - 1}{\\text{length} - 1}", "new row $n$ is read at the place"),
)
def stretch_with_too_long_a_step(table, length):
    n = len(table)
    places = torch.arange(length) * n / length
    low = places.floor().long().clamp(max=n - 1)
    high = (low + 1).clamp(max=n - 1)
    return torch.lerp(table[low], table[high], (places - low)[:, None].to(table.dtype))


@stretch.mistake(
    "Your places end at T. The rows are counted from 0, so the last one has another number."
)
def stretch_beyond_the_last_row(table, length):
    n = len(table)
    places = torch.linspace(0, n, length, dtype=torch.float64).clamp(max=n - 1)
    low = places.long().clamp(max=n - 2)
    return torch.lerp(table[low], table[low + 1], (places - low)[:, None].to(table.dtype))


@stretch.mistake(
    "At the last place you ask for the row above it, and there is none. Hint 2 of the "
    "exercise says what to do."
)
def stretch_without_a_row_above(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.floor().long()
    fraction = (places - low)[:, None].to(table.dtype)
    return (1 - fraction) * table[low] + fraction * table[low + 1]


@stretch.mistake(
    "After the last row you begin again with the first. The old rows should be spread over "
    "the whole new length."
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
    "You have interpolated along a row, between its columns. A column is to be stretched: the "
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
    "The two weights have changed places: just behind an old row, the result is nearly that row.",
    breaks="$s_n = 2.25$ gives",
)
def stretch_with_weights_swapped(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    fraction = (places - low)[:, None].to(table.dtype)
    return fraction * table[low] + (1 - fraction) * table[low + 1]


@stretch.mistake(
    "For a shorter text you cut the table off. Here it is squeezed: the last row stays the last.",
    loses="shorter than the table",
    breaks="`length` may be smaller than $T$",
)
def stretch_only_longer(table, length):
    if length <= len(table):
        return table[:length]
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    return torch.lerp(table[low], table[low + 1], (places - low)[:, None].to(table.dtype))


@stretch.mistake(
    "Your result is float64 where the table is float32. Has the fraction a dtype of its own? The "
    "wider one wins; bring it to that of the table.",
    loses="dtype and gradients",
)
def stretch_widens_the_dtype(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    fraction = (places - low)[:, None]
    return (1 - fraction) * table[low] + fraction * table[low + 1]


@stretch.mistake(
    "Your result is float32 whatever the table is. Leave it in the dtype of the table: float64 in, "
    "float64 out.",
    loses="dtype and gradients",
    breaks="has the dtype of `table`",
)
def stretch_always_in_float32(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    fraction = (places - low)[:, None].float()
    return (1 - fraction) * table.float()[low] + fraction * table.float()[low + 1]


@stretch.mistake(
    "No gradient comes back to the table, so stretched rows could not be trained. What cuts it "
    "off: detach, .data, no_grad, a new torch.tensor(…) or NumPy?",
    loses="dtype and gradients",
    breaks="a gradient reaches it",
)
def stretch_without_gradients(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    fraction = (places - low)[:, None].to(table.dtype)
    rows = table.detach()
    return (1 - fraction) * rows[low] + fraction * rows[low + 1]


@stretch.mistake(
    "Each old row is kept and rows are put between them, which gives the right places only where "
    "length − 1 is a multiple of T − 1. Compute the place of every new row.",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
)
def stretch_only_by_whole_factors(table, length):
    times = max(1, (length - 1) // (len(table) - 1))
    share = (torch.arange(times) / times).to(table.dtype)[:, None, None]
    between = ((1 - share) * table[:-1] + share * table[1:]).transpose(0, 1).flatten(0, 1)
    return torch.cat([between, table[-1:].expand(max(1, length - len(between)), -1)])[:length]


@stretch.mistake(
    "You work in the caller's table and change its rows. Make a new tensor for yours.",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
    breaks="`table` stays as it is",
)
def stretch_in_the_table_itself(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    fraction = (places - low)[:, None].to(table.dtype)
    new = (1 - fraction) * table[low] + fraction * table[low + 1]
    with torch.no_grad():
        rows = min(length, len(table))
        table[:rows] = new[:rows]
    return new
