"""Unit 06, “What T costs”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.stacking import common

ENTRIES = ("projections", "pairs", "mlp")
PRIMES = (37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109)
LONG = (131_011, 131_023, 131_041, 131_059, 131_063, 131_071)  # primes too


def _multiply_adds(length: int, d_model: int, num_heads: int) -> dict[str, int]:
    """Multiplications in one layer for one sequence, by what they are for."""
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


def _sizes(rng: Random) -> Iterator[tuple[int, int, int]]:
    """T, D and H that no two formulas share: T is a prime that D and H do not hold."""
    for heads in (3, 3, rng.choice((5, 7))):
        # H heads with T // H tokens each would be T − 1 tokens where T is 1 more than a multiple.
        lengths = [prime for prime in PRIMES if prime % heads > 1]
        yield rng.choice(lengths), heads * rng.randint(8, 20), heads
    yield rng.choice(PRIMES), rng.randint(20, 36), 1
    heads = rng.choice((5, 7, 11))
    yield rng.choice(PRIMES), heads, heads
    yield 1, heads * rng.randint(8, 20), heads
    # More than 2³¹ multiplications, and more digits than float32 has.
    yield rng.choice(LONG), 12 * rng.randrange(1001, 1024, 2), 12
    heads = rng.randrange(301, 399, 2)
    yield rng.choice(LONG), heads * rng.randrange(31, 39, 2), heads
    for heads in (1, 11, 13):
        yield rng.choice(LONG), heads * (rng.randrange(12_001, 12_287, 2) // heads), heads


def _counted(rng: Random, name: str) -> Iterator[Case]:
    for length, width, heads in _sizes(rng):
        yield _sized(length, width, heads, name)
    # Where float32, or a power by way of logarithms, is one off.
    for length, width in ((131_072, 12_288), (131_072, 4096), (65_536, 8192), (262_144, 1024)):
        yield _sized(length, width, 32, name)
    yield _twice(rng, name)
    yield _changed_between(rng, name)


def _sized(length: int, width: int, heads: int, name: str) -> Case:
    def ask(answer: Answer) -> Any:
        return _entry(answer(length, width, heads), name)

    return Case(f"({length}, {width}, {heads})", ask)


def _changed_between(rng: Random, name: str) -> Case:
    """What a caller does with one result must not be seen in the next for the same sizes."""
    sizes = rng.choice(PRIMES), 42, 7

    def ask(answer: Answer) -> Any:
        first = answer(*sizes)
        if type(first) is dict:
            first.update(dict.fromkeys(ENTRIES, -1))
        return _entry(answer(*sizes), name)

    return Case(f"{sizes} again, after −1 has been written into the first result", ask)


def _twice(rng: Random, name: str) -> Case:
    """A result is looked at once more after a call with other sizes."""
    first, then = (rng.choice(PRIMES[:9]), 30, 3), (rng.choice(PRIMES[9:]), 50, 5)

    def ask(answer: Answer) -> Any:
        kept = answer(*first)
        answer(*then)
        return _entry(kept, name)

    return Case(f"your result for {first}, looked at after a call with {then}", ask)


def _entry(found: Any, name: str) -> Any:
    """The number of that name, and what else the dict holds; no dict is shown as it is."""
    if found is None:
        return None
    entries = dict(found) if isinstance(found, dict) else {}
    number = common.as_number(entries.get(name))
    single = isinstance(number, Tensor) and number.dim() == 0
    value = number.item() if single else math.nan
    whole = math.isfinite(value) and value == int(value)
    return {
        "the result is a dict": isinstance(found, dict),
        f"it has an entry “{name}”": name in entries,
        "entries besides the three": sorted(str(key) for key in entries if key not in ENTRIES),
        f"what “{name}” is": "one number" if single else type(number).__name__,
        f"the entry “{name}” has a fraction": math.isfinite(value) and not whole,
        f"the entry “{name}”": int(value) if whole else str(value),
    }


def _projections(rng: Random) -> Iterator[Case]:
    return _counted(rng, "projections")


def _pairs(rng: Random) -> Iterator[Case]:
    return _counted(rng, "pairs")


def _mlp(rng: Random) -> Iterator[Case]:
    return _counted(rng, "mlp")


cost = Exercise(
    "cost",
    _multiply_adds,
    (
        Part("the projections", 0.5, _projections),
        Part("all pairs", 0.5, _pairs),
        Part("the MLP", 0.5, _mlp),
    ),
    tolerance=0,
    explains=("You will settle your prediction with this count.",),
    module=__name__,
)


PROJECTIONS, PAIRS = "4 * length * d_model**2", "2 * length**2 * d_model"
MLP = "8 * length * d_model**2"
