"""Unit 02, “The table”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

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
    module=__name__,
)
