"""Unit 02, “Any width”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

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
    module=__name__,
)
