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
FOURTH = 0.2  # the variance of what is measured is 24/30,000: 7 deviations


def cases(rng: Random) -> Iterator[Case]:
    """Objects of narrow heads, where 1/√d differs most from its neighbours, and many offsets."""
    for width in (rng.randint(4, 6), 1, NUMBERS):  # of one number each; with a clip of 0
        yield _case(rng.choice((2, 3)), width)


def _case(heads: int, width: int) -> Case:
    k = NUMBERS // width // 2

    def ask(answer: Answer) -> dict[str, Any]:
        # Two objects are built one after the other, so that one seed for all shows.
        objects = [answer(heads * width, heads, 12, k) for _ in range(2)]
        tables = {name: _scaled(objects[0], name, width) for name in ("keys", "values")}
        kinds = {name: isinstance(getattr(objects[0], name, None), Tensor) for name in tables}
        found: dict[str, Any] = {f"self.{name} is a tensor": kind for name, kind in kinds.items()}
        for name, table in tables.items():
            found |= _described(name, table, width)
        keys, values = tables.values()
        return found | {
            "keys and values begin with different numbers": _apart(keys, values),
            **{
                f"{name} of a second object begin with other numbers than those of the first": (
                    _apart(table, _scaled(objects[1], name, width))
                )
                for name, table in tables.items()
            },
        }

    return Case(f"a new object with k={k}, D={heads * width}, H={heads}", ask)


def _scaled(module: Any, name: str, width: int) -> Tensor:
    """The numbers of a table, times √d; a single 0 where there is none."""
    table = getattr(module, name, None)
    own = table.detach() if isinstance(table, Tensor) else torch.zeros(1)
    numbers: Tensor = own.double().flatten() * math.sqrt(width)
    return numbers


def _described(name: str, numbers: Tensor, width: int) -> dict[str, Any]:
    return {
        f"standard deviation of {name}, times √d": _in_steps(numbers.std().item(), 1),
        f"mean of {name}, times √d": _in_steps(numbers.mean().item(), 0),
        f"the numbers in {name} differ from each other, and not by their signs alone": (
            _distinct(numbers)
        ),
        f"{name} hold a whole vector of zeros": int((numbers == 0).sum()) > 3,
        f"{name} have a normal distribution of mean 0 and std 1/√d": _normal(numbers),
        f"neighbours in {name} are drawn independently": _independent(numbers, width),
        f"the mean or the products of {name} are more exact than chance allows": (
            _exact(numbers, width)
        ),
    }


def _independent(numbers: Tensor, width: int) -> bool:
    """Whether neighbours, in a row or in a column, say nothing of each other."""
    if len(numbers) % width:
        return True  # its shape is asked for elsewhere
    table = numbers.reshape(-1, width)
    pairs = ((table[1:], table[:-1]), (table[:, 1:], table[:, :-1]))
    return not any(
        one.numel() > 100 and (one * other).mean().abs() > STEP / 2 for one, other in pairs
    )


def _exact(numbers: Tensor, width: int) -> bool:
    """Whether sums are as exact as no chance makes them.

    Standardised numbers have an exact mean, orthogonal columns an exact product, and both an exact
    mean square. Of right tables one in a million comes so near to two of these at once.
    """
    if len(numbers) % width:
        return False
    table, count = numbers.reshape(-1, width), math.sqrt(len(numbers))
    product = (table[:, 0] * table[:, -1]).mean().item() if 1 < width < len(table) else 1.0
    exact = min(abs(numbers.mean().item()), abs(product)) * count < 1e-5
    return exact and abs(numbers.square().mean().item() - 1) * count < 0.05


def _distinct(numbers: Tensor) -> bool:
    """Whether nearly all differ, whatever their signs; float32 has some of them twice."""
    ordered = numbers.abs().sort().values
    return (ordered.diff() > 0).double().mean().item() > 0.9


def _normal(numbers: Tensor) -> bool:
    """Whether the mean of the fourth powers is 3, as for normal numbers of variance 1.

    Uniform numbers have 1.8, a sum of three of them 2.6.
    """
    fourth = numbers.pow(4).mean() / numbers.square().mean().square()
    return abs(fourth.item() - 3) < FOURTH


def _apart(one: Tensor, other: Tensor) -> bool:
    """Whether they hold other numbers, and those of one do not follow those of the other."""
    if one.shape != other.shape:
        return False
    follows = torch.corrcoef(torch.stack([one, other]))[0, 1].item()
    return _distinct(torch.cat([one, other])) and abs(follows) < STEP / 2


def _in_steps(value: float, right: int) -> float:
    """Rounded to steps of 0.1; what is not a number, as the mean of nothing, is 0.

    What is a little more than half a step off has another digit, so that 1.05 is not told as 1.1.
    """
    if not math.isfinite(value):
        return 0.0
    off = abs(value - right)
    if abs(value) < STEP:
        return 0.0 if off <= STEP / 2 else float(f"{value:.1g}")
    digits = 2 if STEP / 2 < off < 1.5 * STEP else 1
    return float(right) if off <= STEP / 2 else round(value, digits) + 0.0
