"""Unit 03, “Stretching a table”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.engine import Answer, Case, Exercise, Part, call, differentiated, digits
from helpers.checks.engine.hints import DTYPE, NO_GRADIENT
from helpers.encodings.cope import between


def stretched(table: Tensor, length: int) -> Tensor:
    """`table` (T, D) read at `length` places from its first row to its last; (length, D)."""
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    fraction = (places - low)[:, None]
    return ((1 - fraction) * table[low] + fraction * table[low + 1]).to(table.dtype)


def _rows(rng: Random) -> Tensor:
    return draws.normal(rng, rng.randint(8, 14), rng.randint(4, 7))


def _longer(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)
    length = len(rows) + rng.randint(2, 5)
    yield call(rows, length)
    yield call(rows, 2 * len(rows))
    yield call(rows[:2], rng.randint(3, 9))
    yield call(rows[:, :1], length)
    yield call(rows[:, :4].T, rng.randint(200, 300))
    # Here an arange in fractions ends one step too late.
    yield call(draws.normal(rng, 12, 4), rng.choice([16, 31, 61]))
    # More rows than a byte counts; small numbers, so that places may be rounded to float32.
    many = draws.normal(rng, rng.randint(260, 300), 2) / 10
    yield call(many, rng.randint(520, 700))


def _ends(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)
    length = 2 * len(rows) + rng.randint(2, 6)
    words = f"the first and the last row of (tensor of shape {tuple(rows.shape)}, {length})"
    yield Case(words, lambda answer: answer(rows.clone(), length)[[0, -1]])
    yield call(rows, len(rows))
    yield call(rows[:2], 2)


def _shorter(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)
    steps = len(rows) - 1
    # A length at which places do not fall on old rows.
    fewer = [n for n in range(steps - 4, steps) if steps % n]
    yield call(rows, rng.choice(fewer) + 1)
    # Transposed, so that no row lies in one piece of memory.
    wide = draws.normal(rng, rng.randint(9, 12), 2 * rng.randint(3, 4)).T
    yield call(wide, 2)
    yield call(wide, 3)  # an even number of rows has none in the middle


def _backwards(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)
    for length in (len(rows) + rng.randint(2, 5), len(rows), len(rows) - 2, 2):
        words = f" with length={length} for {len(rows)} rows"
        yield differentiated(words, in_bfloat16=False, table=rows, length=length)
        yield digits(f"(table){words}", rows).of(partial(_to, length))


def _to(length: int, answer: Answer) -> Answer:
    return lambda table: answer(table, length)


# Behind `F.interpolate`.
KERNELS = ("upsample_linear1d", "upsample_bilinear2d", "upsample_bicubic2d", "upsample_trilinear3d")
stretch = Exercise(
    "stretch",
    stretched,
    (
        Part("longer than the table", 0.5, _longer),
        Part("the ends, and the same length", 0.5, _ends),
        Part("shorter than the table", 0.5, _shorter),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(
        *(F.interpolate, encodings.Learned, between),
        *(getattr(torch._C._nn, name) for name in KERNELS),
        *(getattr(torch.ops.aten, name)._op for name in KERNELS),
    ),
    explains=("of the old table", "$T$ and `length` are at least 2"),
    generic={
        "has the dtype of `table`": DTYPE,
        "gradient reaches `table`": NO_GRADIENT,
    },
    module=__name__,
)
