"""Unit 10, “A base for longer texts”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, refusal
from helpers.checks.longer import common


def longer_base_of(base: float, factor: float, d_head: int) -> float:
    """Return base·s^(d/(d−2)): the slowest pair is s times slower, and the fastest stays.

    Raises:
        ValueError: the width is below 4, or odd.
    """
    if d_head < 4 or d_head % 2:
        raise ValueError(f"d_head={d_head} must be even, and at least 4")
    return float(base * factor ** (d_head / (d_head - 2)))


def _number(base: float, factor: float, d_head: int) -> Case:
    return call(base, factor, d_head).map(common.number)


def _bases(rng: Random) -> Iterator[Case]:
    """Ask with narrow and wide heads, odd and even numbers of pairs, any factors and bases."""
    for d_head in (8, 4, 6, 2 * rng.randint(5, 11), 128):
        yield _number(10_000.0, rng.choice((1, 2, 4, 8)), d_head)
        yield _number(10 ** rng.uniform(1, 6), rng.uniform(1.2, 9), d_head)
        yield _number(rng.randint(2, 50) * 10_000, rng.choice((16, 32, 64)), d_head)
    yield _number(rng.uniform(1.1, 1.9), rng.uniform(1.01, 1.1), 10)
    yield _number(10 ** rng.uniform(8.8, 9.8), rng.randint(300, 900), 2 * rng.randint(300, 900))


def _refused(rng: Random) -> Iterator[Case]:
    for d_head in (2, 2 * rng.randint(3, 9) + 1, 2 * rng.randint(55, 90) + 1, 3, 1):
        yield Case(f"(10000.5, 4.75, {d_head})", partial(_refusal, d_head))
    yield _number(10_000.0, 3, 4)  # at the border


def _refusal(d_head: int, answer: Answer) -> dict[str, Any]:
    """Ask with a base and a factor that are no width: an error may name these alone."""
    return refusal(partial(answer, 10_000.5, 4.75, d_head), d_head=d_head)


longer_base = Exercise(
    "longer_base",
    longer_base_of,
    (Part("the new base", 1, _bases), Part("one pair, or half a pair", 1, _refused)),
    forbidden=(encodings.Ntk, encodings.DynamicNtk),
    tolerance=1e-6,  # float32 is off by a tenth of that
    explains=("(Pair 0 turns by 1 radian",),
    module=__name__,
)
