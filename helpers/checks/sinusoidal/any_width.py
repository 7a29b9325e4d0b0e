"""Unit 02, “Any width”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from helpers import encodings
from helpers.checks.engine import KEPT, Case, Exercise, Part, call
from helpers.checks.sinusoidal import common
from helpers.checks.sinusoidal.table import table


def _odd(rng: Random) -> Iterator[Case]:
    first, second = common.odd_widths(rng)
    yield call(common.random_length(rng), first)
    yield call(common.short_length(rng), second)
    yield call(first, first)  # as many rows as columns
    yield call(1, second)
    yield call(common.long_length(rng), 3)
    yield call(common.short_length(rng), first, base=common.large_base(rng))
    yield call(common.short_length(rng), second, base=common.small_base(rng))


def _still_even(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(common.random_length(rng), first)
    yield call(common.short_length(rng), second, base=common.large_base(rng))
    yield call(1, 2)


def _single(rng: Random) -> Iterator[Case]:
    yield call(common.random_length(rng), 1)
    yield call(1, 1)


any_width = Exercise(
    "any_width",
    encodings.sinusoidal_table,
    (
        Part("odd widths", 1, _odd),
        Part("even widths as before", 0.5, _still_even),
        Part("a single column", 0.5, _single),
    ),
    forbidden=table.forbidden,
    explains=("The book's code fails",),
    generic={"returns a new table with each call": KEPT},
    module=__name__,
)
