"""Unit 02, “The table”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from helpers import encodings
from helpers.checks.engine import KEPT, Case, Exercise, Part, call
from helpers.checks.sinusoidal import common
from helpers.encodings.sinusoidal import sinusoids


def _default_base(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(common.random_length(rng), second)
    yield call(common.short_length(rng), first)
    yield call(first, first)  # as many rows as columns
    yield call(1, second)
    yield call(common.random_length(rng), 2)
    yield call(common.long_length(rng), 4)
    yield call(rng.randint(150, 200), 96)  # some slow hands turn, too far for a short series


def _other_base(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(common.random_length(rng), first, base=common.large_base(rng))
    yield call(common.short_length(rng), second, base=common.small_base(rng))


table = Exercise(
    "table",
    encodings.sinusoidal_table,
    (
        Part("the paper's base", 2, _default_base),
        Part("any other base", 1, _other_base),
    ),
    forbidden=(encodings.Sinusoidal, sinusoids, encodings.Rotary, encodings.Pope),
    explains=("`d_model` is even",),
    generic={"a new one with each call": KEPT},
    module=__name__,
)
