"""Unit 04, “Learned vectors by offset”: are the tables normal numbers of their own at the start?

With 30,000 numbers a table, each bound below refuses less than one right table in a million.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case

NUMBERS = 30_000  # of a table
STEP = 0.1  # what is measured is told in such steps; half of one is 8 deviations of the mean
DEVIATION = 2.8  # of Kolmogorov and Smirnov: 2·exp(−2·2.8²) < 1e−6


def cases(rng: Random) -> Iterator[Case]:
    """Objects of a narrow head, where 1/√d differs most from its neighbours, and many offsets."""
    heads, width = rng.choice((2, 3)), rng.randint(4, 6)
    k = NUMBERS // width // 2

    def ask(answer: Answer) -> dict[str, Any]:
        # Two objects are built one after the other, so that one seed for all shows.
        objects = [answer(heads * width, heads, 12, k) for _ in range(2)]
        tables = {name: _scaled(objects[0], name, width) for name in ("keys", "values")}
        found: dict[str, Any] = {}
        for name, table in tables.items():
            found |= _described(name, table)
        again = _scaled(objects[1], "keys", width)
        return found | {
            "keys hold other numbers than values": _distinct(torch.cat([*tables.values()])),
            "correlation of keys and values": _correlation(tables["keys"], tables["values"]),
            "correlation of the keys of two objects": _correlation(tables["keys"], again),
        }

    yield Case(f"a new object with k={k}, D={heads * width}, H={heads}", ask)


def _scaled(module: Any, name: str, width: int) -> Tensor:
    """The numbers of a table, times √d."""
    numbers: Tensor = getattr(module, name).detach().double().flatten() * math.sqrt(width)
    return numbers


def _described(name: str, numbers: Tensor) -> dict[str, Any]:
    return {
        f"standard deviation of {name}, times √d": _in_steps(numbers.std().item()),
        f"mean of {name}, times √d": _in_steps(numbers.mean().item()),
        f"{name} are drawn one by one": _distinct(numbers),
        f"{name} hold a whole vector of zeros": int((numbers == 0).sum()) > 3,
        f"{name} have a normal distribution of mean 0 and std 1/√d": _normal(numbers),
    }


def _distinct(numbers: Tensor) -> bool:
    """Whether nearly all differ, whatever their signs; float32 has some of them twice."""
    ordered = numbers.abs().sort().values
    return (ordered.diff() > 0).double().mean().item() > 0.9


def _normal(numbers: Tensor) -> bool:
    """The test of Kolmogorov and Smirnov against the standard normal distribution."""
    ordered = numbers.sort().values
    below = (1 + torch.erf(ordered / math.sqrt(2))) / 2
    count = len(ordered)
    steps = torch.arange(count + 1, dtype=torch.float64) / count
    distance = torch.maximum((below - steps[:-1]).abs(), (below - steps[1:]).abs()).max()
    return bool(distance * math.sqrt(count) < DEVIATION)


def _correlation(one: Tensor, other: Tensor) -> float | str:
    if one.shape != other.shape:
        return "of different shapes"
    return _in_steps(torch.corrcoef(torch.stack([one, other]))[0, 1].item())


def _in_steps(value: float) -> float:
    """Rounded to steps of 0.1; what is not a number, as the mean of nothing, is 0."""
    return round(round(value / STEP) * STEP, 1) + 0.0 if math.isfinite(value) else 0.0
