"""Unit 10, “Who has seen every angle?”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call
from helpers.checks.longer import common

TURNS, ROUND = "how many turns", "which pairs come round"


def turns_of(d_head: int, length: int, base: float = 10_000.0) -> tuple[Tensor, Tensor]:
    """T·θ_n/2π of each pair, (d/2,), and where that is at least 1."""
    found = length * common.theta(d_head, base) / (2 * math.pi)
    return found, found >= 1


def _turns(asked: Case) -> Case:
    def ask(answer: Answer) -> Any:
        found = asked.ask(answer)
        told = {"the number of results": common.results(found)}
        return told | common.real(found[0]) if common.two(found) else told

    return Case(asked.label, ask)


def _round(asked: Case) -> Case:
    def ask(answer: Answer) -> Any:
        found = asked.ask(answer)
        told = {"the number of results": common.results(found)}
        if not common.two(found):
            return told
        if not isinstance(found[1], Tensor):
            return told | {"its dtype": f"none, as it is a {type(found[1]).__name__}"}
        return told | {"its dtype": common.dtype(found[1]), "which come round": found[1].float()}

    return Case(asked.label, ask)


def _asked(rng: Random) -> Iterator[Case]:
    """Odd and even numbers of pairs, T below d and far beyond it, whole and broken bases."""
    for d_head in (
        12,
        rng.choice((2, 4)),
        2 * rng.randint(7, 15),
        64,
        128,
        2 * rng.randint(70, 99),
    ):
        yield call(d_head, rng.randint(d_head + 1, 900))
        yield call(d_head, rng.randint(1, d_head), base=10 ** rng.uniform(1, 6))
        yield call(d_head, rng.randint(2000, 200_000), base=rng.randint(2, 50) * 10_000)
    yield call(rng.choice((6, 8)), 1)
    yield call(rng.choice((8, 10)), rng.randint(2_000_000, 9_000_000))
    yield call(10, rng.randint(20, 60), base=rng.uniform(1.1, 1.9))
    yield call(10, rng.randint(20, 60), base=common.base_near_one(rng))
    yield call(2 * rng.randint(140, 300), rng.randint(2000, 9000))
    d_head, length = 2 * rng.randint(5, 9), rng.randint(100, 900)
    for base in (common.large_base(rng), rng.uniform(100, 900)):
        yield call(d_head, length, base=base)  # the same, but for the base
    yield call(10, rng.randint(20, 60), base=rng.randint(2, 9))


def _near_one(rng: Random) -> Iterator[Case]:
    """Bases for which some pair makes just more or just less than one turn."""
    for turns in (1.01, 0.99, 1.04, 0.96, 1.9, 0.55):
        d_head, length = 2 * rng.randint(6, 40), rng.randint(40, 5000)
        pair = rng.randint(d_head // 4, d_head // 2 - 1)  # so that no base is above 10⁸
        yield call(d_head, length, base=(length / (2 * math.pi * turns)) ** (d_head / 2 / pair))
    short = rng.randint(12, 19)  # where T − 1 steps would be too few, or whole wavelengths
    for turns in (1.02, 0.98, 0.997, 1.003, 0.9996, 1.0004):
        yield call(8, short, base=(short / (2 * math.pi * turns)) ** 2)


def _how_many(rng: Random) -> Iterator[Case]:
    yield from map(_turns, _asked(rng))


def _which(rng: Random) -> Iterator[Case]:
    yield from map(_round, [*_asked(rng), *_near_one(rng)])


turns = Exercise(
    "turns",
    turns_of,
    (Part(TURNS, 1, _how_many), Part(ROUND, 1, _which)),
    tolerance=1e-5,
    explains=("Write `turns`.",),
    module=__name__,
)
