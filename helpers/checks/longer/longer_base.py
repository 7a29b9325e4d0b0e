"""Unit 10, “A base for longer texts”: what it asks, and what people write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import torch  # noqa: F401, in a mistake's text

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, refusal
from helpers.checks.longer import common

BASES, REFUSED = "the new base", "one pair, or half a pair"
LIMITS = re.compile(
    r"\b2 (?:or more )?pairs\b|\b(?:multiple of|divisible by|divide by|than|least|above) 2\b"
    r"|(?:/|(?<!-)>=?) ?2\b|\(d\w* ?- ?2\)"
)


def longer_base_of(base: float, factor: float, d_head: int) -> float:
    """base·s^(d/(d−2)), with which the slowest pair is s times slower and the fastest stays."""
    if d_head < 4 or d_head % 2:
        raise ValueError(f"d_head={d_head} must be even, and at least 4")
    return float(base * factor ** (d_head / (d_head - 2)))


def _number(base: float, factor: float, d_head: int) -> Case:
    asked = call(base, factor, d_head)

    def ask(answer: Answer) -> Any:
        return common.number(asked.ask(answer), "the new base")

    return Case(asked.label, ask)


def _bases(rng: Random) -> Iterator[Case]:
    """Narrow and wide heads, odd and even numbers of pairs, whole and broken factors and bases."""
    for d_head in (8, 4, 6, 2 * rng.randint(5, 11), 64, 128, 2 * rng.randint(70, 140)):
        yield _number(10_000.0, rng.choice((2, 4, 8)), d_head)
        yield _number(10 ** rng.uniform(1, 6), rng.uniform(1.2, 9), d_head)
        yield _number(rng.randint(2, 50) * 10_000, rng.choice((16, 32, 64)), d_head)
    yield _number(500_000.0, 1, rng.choice((8, 12)))
    yield _number(rng.uniform(1.1, 1.9), rng.uniform(1.05, 1.1), 2 * rng.randint(2, 9))
    yield _number(10_000.0, rng.uniform(1.01, 1.05), 2 * rng.randint(2, 9))
    yield _number(rng.uniform(20, 90), rng.uniform(300, 900), rng.choice((32, 48)))
    yield _number(rng.uniform(20, 90), rng.randint(2000, 9000), rng.choice((12, 16)))
    d_head, factor = 2 * rng.randint(4, 40), rng.randint(2, 9)
    for base in (10_000.0, rng.uniform(100, 900), 10 ** rng.uniform(8.8, 9.8)):
        yield _number(base, factor, d_head)  # the same, but for the base
    yield _number(rng.uniform(200, 900), rng.uniform(20, 60), 2 * rng.randint(300, 900))


def _refused(rng: Random) -> Iterator[Case]:
    for d_head in (2, 2 * rng.randint(3, 9) + 1, 2 * rng.randint(55, 90) + 1, 3, 1):
        # None of its digits is a width: an error may name the factor alone.
        factor = 1.0 if d_head == 3 else rng.choice((3.75, 4.75, 5.75))

        def ask(answer: Answer, d_head: int = d_head, factor: float = factor) -> Any:
            action = partial(answer, 10_000.5, factor, d_head)
            return refusal(partial(_without_its_limits, action), d_head=d_head)

        yield Case(f"(10000.5, {factor:g}, {d_head})", ask)
    # What is allowed at the border.
    yield _number(10_000.0, 3, 4)


def _without_its_limits(action: Callable[[], Any]) -> Any:
    """An error without what is no width in it: “2 pairs at least” does not say that 2 was given."""
    try:
        return action()
    except NotImplementedError:
        raise
    except Exception as error:
        error.args = (LIMITS.sub("…", str(error)),)
        raise


longer_base = Exercise(
    "longer_base",
    longer_base_of,
    (Part(BASES, 1, _bases), Part(REFUSED, 1, _refused)),
    forbidden=(encodings.Ntk, encodings.DynamicNtk),
    tolerance=1e-6,  # float32 is off by a tenth of that
    explains=("Write `longer_base`.", "(Pair 0 turns by 1 radian"),
    module=__name__,
)
