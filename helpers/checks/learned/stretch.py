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
    module=__name__,
)
