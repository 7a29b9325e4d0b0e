"""Unit 06, “The rank residual”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call, compare, differentiated
from helpers.checks.engine.hints import IN_PLACE, NO_GRADIENT
from helpers.checks.stacking import common
from helpers.model import probes


def _sizes(rng: Random) -> Iterator[tuple[int, int]]:
    """T and D: more rows than columns, and fewer."""
    yield rng.randint(8, 12), rng.randint(4, 6)
    yield rng.randint(3, 5), rng.randint(7, 9)


def _around_a_row(rng: Random, *shape: int) -> Tensor:
    """Rows about a mean row, of which each sequence has its own; (B, T, D)."""
    return common.normal_numbers(rng, *shape) + common.normal_numbers(rng, shape[0], 1, shape[2])


def _one_sequence(rng: Random) -> Iterator[Case]:
    for length, width in _sizes(rng):
        yield call(rng.uniform(2, 4) * _around_a_row(rng, 1, length, width))
        yield call(_around_a_row(rng, 1, length, width))  # the same shape once more
    x = common.normal_numbers(rng, 1, 6, 4)
    yield call(x - 0.95 * x.mean(1, keepdim=True))  # rows that have next to nothing in common
    yield call(_around_a_row(rng, 1, 1, rng.randint(4, 6)))  # a single row is its own mean


def _several(rng: Random) -> Iterator[Case]:
    """Fewer sequences than rows, more, or as many; of unlike size, with rows more or less alike."""
    same = rng.randint(5, 7)
    sizes, numbers = (*_sizes(rng), (same, same + 1)), (3, rng.randint(10, 11), same)
    for (length, width), number in zip(sizes, numbers, strict=True):
        rest = common.normal_numbers(rng, number, length, width)
        size, spread = (3 ** common.normal_numbers(rng, number, 1, 1) for _ in range(2))
        yield call(size * (common.normal_numbers(rng, number, 1, width) + spread * rest))
    yield call(_around_a_row(rng, rng.randint(2, 4), rng.randint(5, 8), 1))
    yield call(_around_a_row(rng, rng.randint(2, 4), 1, rng.randint(5, 8)))
    yield call(_around_a_row(rng, 2, rng.randint(130, 140), 3))


def _nearly_equal(rng: Random) -> Iterator[Case]:
    for digits, length in (
        (rng.uniform(5, 8), rng.randint(8, 12)),
        (rng.uniform(10.5, 11), rng.randint(30, 40)),  # for which cdist takes a matrix product
    ):
        rest = common.normal_numbers(rng, 2, length, rng.randint(4, 6))
        label = f"rows in float64 that differ by about {10**-digits:.0e}"
        yield _enlarged(3 + 10**-digits * rest, label, 10.0 ** round(digits))
    yield _equal_but_for(rng)
    yield _gradient(rng)
    small = 10 ** -rng.uniform(90, 100)
    x = small * _around_a_row(rng, 2, rng.randint(8, 12), rng.randint(4, 6))
    yield call(x).with_words(f" of numbers in float64 as small as {small:.0e}")
    sizes = torch.tensor([small, 1.0], dtype=torch.float64)[:, None, None]
    x = sizes * _around_a_row(rng, 2, rng.randint(8, 12), rng.randint(4, 6))
    yield call(x).with_words(f", the first one's numbers as small as {small:.0e}")


def _equal_but_for(rng: Random) -> Case:
    """Of eight rows, so that the mean of equal numbers is exact."""
    x = 3e-13 * common.normal_numbers(rng, 2, 8, rng.randint(4, 6))
    x[..., 0] = 3.0
    words = "rows in float64 that begin with 3 and differ by about 3e-13 in the numbers after it"
    return _enlarged(x, words, 1e13)


def _enlarged(x: Tensor, label: str, factor: float) -> Case:
    """The residual times a factor, so that a small error is seen."""

    def told(found: Any) -> Any:
        tensor = compare.as_tensor(found)
        return found if tensor is None else factor * tensor

    return call(x).labelled(f"{label}, your residual times {factor:.0e}").map(told)


def _gradient(rng: Random) -> Case:
    """What reaches rows that hardly differ; that nothing at all comes back is no matter here."""
    digits = rng.uniform(5, 7)
    x = 3 + 10**-digits * common.normal_numbers(rng, 2, 6, 4)

    def ask(answer: Answer) -> Any:
        given = x.clone().requires_grad_()
        result = answer(given)
        if type(result) is not Tensor or not result.requires_grad:
            return "a gradient comes back"
        result.sum().backward()
        reached = given.grad is not None and given.grad.abs().max() > 1e-3
        return "a gradient comes back" if reached else "no gradient comes back"

    return Case(f"rows in float64 that differ by about {10**-digits:.0e}", ask)


def _backwards(rng: Random) -> Iterator[Case]:
    for (length, width), number in zip(_sizes(rng), (3, 2), strict=True):
        yield differentiated(x=_around_a_row(rng, number, length, width))
    yield differentiated(x=_around_a_row(rng, 1, rng.randint(66, 70), 4))


residual = Exercise(
    "residual",
    probes.rank_residual,
    (
        Part("one sequence", 0.5, _one_sequence),
        Part("each sequence of a batch by itself", 0.25, _several),
        Part("rows that are almost the same, small numbers", 0.5, _nearly_equal),
        Part("dtype and gradients", 0.25, _backwards),
    ),
    explains=("You will use this number on every stack",),
    generic={
        "Gradients must reach `x`": NO_GRADIENT,
        "which stays as it is": IN_PLACE,
    },
    module=__name__,
)
