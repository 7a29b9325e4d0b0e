"""Unit 02, “Similarity by offset”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks.engine import (
    Answer,
    Case,
    Exercise,
    Part,
    call,
    differentiated,
    without_gradients,
)
from helpers.checks.sinusoidal import common


def _numbers(rng: Random, length: int, width: int) -> Tensor:
    """Rows of other lengths, each unlike its neighbours, float64."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    rows = torch.randn(length, width, generator=draw, dtype=torch.float64) + 0.7
    rows[1::2] *= -1
    return rows * (0.3 + 2 * torch.rand(length, 1, generator=draw, dtype=torch.float64))


def _of_sinusoids(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(encodings.sinusoidal_table(common.random_length(rng), second))
    yield call(encodings.sinusoidal_table(common.short_length(rng), first))
    yield call(encodings.sinusoidal_table(rng.randint(130, 160), 6))


def _of_any(rng: Random) -> Iterator[Case]:
    length, (first, second) = common.random_length(rng), common.even_widths(rng)
    yield call(_numbers(rng, length, first))
    yield call(_numbers(rng, length, first) / 1e5)  # the same shape, other numbers
    yield call(_numbers(rng, common.short_length(rng), second + 1))
    uneven = torch.tensor([[3.0, 0], [rng.random() / 9, 0], [3, 0]], dtype=torch.float64)
    yield call(uneven).labelled("a table whose rows 0 and 2 are long")
    yield call(_numbers(rng, second, second))  # T = D
    empty = _numbers(rng, length, second)
    empty[rng.randrange(1, length)] = 0
    yield call(empty).labelled("a table with a row of zeros")
    yield call(_numbers(rng, common.short_length(rng), 1))
    yield call(_numbers(rng, 1, second))
    # Longer than BERT reads, once: whoever loops over all pairs waits a second here.
    yield call(_numbers(rng, rng.randint(515, 540), 2))
    yield call(_numbers(rng, common.short_length(rng), rng.randint(770, 800)))  # wide as in BERT
    directions = _numbers(rng, length, second)
    yield call(3 * directions / directions.norm(dim=1, keepdim=True))  # rows of one length
    yield without_gradients(call(_numbers(rng, common.short_length(rng), first)))
    columns = _numbers(rng, second, length).T  # a transposed tensor, which has no flat view
    yield call(columns).labelled("a table that is a transposed tensor")
    yield _changed_in_between(_numbers(rng, length, first), _numbers(rng, length, first) + 0.2)


def _changed_in_between(before: Tensor, after: Tensor) -> Case:
    """Two calls with one tensor, into which training, say, writes other numbers in between."""

    def ask(answer: Answer) -> dict[str, Any]:
        table = before.clone()
        first = torch.as_tensor(answer(table)).clone()
        seen = {"the first result": first, "the table requires gradients": table.requires_grad}
        with torch.no_grad():
            table.copy_(after)
        return seen | {"the result after the table has changed": answer(table)}

    return Case("the same table, changed between two calls", ask)


def _backwards(rng: Random) -> Iterator[Case]:
    yield differentiated(
        in_bfloat16=False, table=_numbers(rng, common.short_length(rng), common.even_widths(rng)[0])
    )
    yield differentiated(in_bfloat16=False, table=_numbers(rng, common.random_length(rng), 5))
    for length in (2, 3, rng.randint(130, 150)):
        label = f" of shape ({length}, 3)"
        yield differentiated(label, in_bfloat16=False, table=_numbers(rng, length, 3))
    yield _fine(_numbers(rng, common.short_length(rng), 5))


def _fine(table: Tensor) -> Case:
    """By how much the result changes with a change of 1e−9, times 1e9; float32 shows none."""
    tables = table, table + 1e-9 * table.flip(0, -1)

    def ask(answer: Answer) -> Any:
        found = [answer(each.clone()) for each in tables]
        if any(type(each) is not Tensor for each in found):
            return found[0]
        return (found[1] - found[0]) * 1e9

    return Case("(table) in float64, digits beyond float32, as from a change of 1e-9", ask)


similarity = Exercise(
    "similarity",
    encodings.offset_profile,
    (
        Part("a sinusoidal table", 0.5, _of_sinusoids),
        Part("any other table", 1, _of_any),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    module=__name__,
)
