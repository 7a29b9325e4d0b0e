"""Unit 06, “What T costs”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, compare

PARTS = {"projections": "the projections", "pairs": "all pairs", "mlp": "the MLP"}
PRIMES = (37, 43, 53, 67, 73, 83, 97, 103)
LONG = (131_011, 131_041, 131_071)  # primes too


def _multiply_adds(length: int, d_model: int, num_heads: int) -> dict[str, int]:
    """Multiplications in one layer for one sequence, by what they are for."""
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


def _sizes(rng: Random) -> Iterator[tuple[int, int, int]]:
    """T, D and H that no two formulas share: T is a prime that D and H do not hold."""
    heads = rng.choice((5, 7))
    yield rng.choice(PRIMES), heads * rng.randint(8, 20), heads
    yield rng.choice(PRIMES), 3 * rng.randint(8, 12), 3
    yield rng.choice(PRIMES), rng.randint(20, 36), 1
    yield rng.choice(PRIMES), heads, heads
    yield 1, heads * rng.randint(8, 20), heads
    # More than 2³¹ multiplications, and more digits than float32 has.
    yield rng.choice(LONG), 12 * rng.randrange(1001, 1024, 2), 12
    yield 131_072, 12_288, 32


def _counted(rng: Random, name: str) -> Iterator[Case]:
    for sizes in _sizes(rng):
        yield Case(str(sizes), partial(_entry, sizes, name))


def _entry(sizes: tuple[int, int, int], name: str, answer: Answer) -> Any:
    """The number of that name, and what else the dict holds; no dict is shown as it is."""
    found = answer(*sizes)
    if found is None:
        return None
    entries = dict(found) if isinstance(found, dict) else {}
    if type(found) is dict:
        found["pairs"] = -1  # which the next call for these sizes must not show
        again = answer(*sizes)
        entries |= {name: again.get(name)} if type(again) is dict else {}
    number = compare.as_number(entries.get(name))
    single = isinstance(number, Tensor) and number.dim() == 0
    value = number.item() if single else math.nan
    whole = math.isfinite(value) and value == int(value)
    return {
        "the result is a dict": isinstance(found, dict),
        "its entries": sorted(map(str, entries)),
        f"what “{name}” is": "one number" if single else type(number).__name__,
        f"the entry “{name}”": int(value) if whole else str(value),
    }


cost = Exercise(
    "cost",
    _multiply_adds,
    tuple(Part(part, 0.5, partial(_counted, name=name)) for name, part in PARTS.items()),
    tolerance=0,
    explains=("You will settle your prediction with this count.",),
    module=__name__,
)
