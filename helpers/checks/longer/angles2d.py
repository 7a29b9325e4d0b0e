"""Unit 10, “Angles of a picture”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call
from helpers.checks.longer import common
from helpers.encodings import rotary_nd

SQUARES, OTHERS = "square pictures", "any other picture and base"


def angles2d_of(rows: int, columns: int, d_head: int, base: float = 10_000.0) -> Tensor:
    """Each patch's angles, row by row, (R·C, d/2): half of the pairs by row, half by column."""
    theta = common.theta(d_head // 2, base)
    row, column = (each.flatten()[:, None] for each in _grid(rows, columns))
    return torch.cat([row * theta, column * theta], 1)


def _grid(rows: int, columns: int) -> tuple[Tensor, ...]:
    return torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")


def _real(asked: Case) -> Case:
    def ask(answer: Answer) -> Any:
        return common.real(asked.ask(answer))

    return Case(asked.label, ask)


def _squares(rng: Random) -> Iterator[Case]:
    """Odd and even numbers of pairs for an axis, and one; more patches than columns, and fewer."""
    for side, d_head in (
        (3, 8),
        (rng.randint(5, 9), 12),
        (2, 4),
        (rng.randint(14, 20), 16),
        (4, 64),
    ):
        yield _real(call(side, side, d_head))
        yield _real(call(side, side, d_head, base=10 ** rng.uniform(1, 6)))
    yield _real(call(1, 1, 8))


def _others(rng: Random) -> Iterator[Case]:
    for d_head in (8, 4, 4 * rng.randint(3, 9), 64, 128):
        low, high = rng.randint(2, 5), rng.randint(6, 9)
        yield _real(call(low, high, d_head))
        yield _real(call(high, low, d_head, base=10 ** rng.uniform(1, 6)))
        yield _real(call(low, high, d_head, base=rng.randint(2, 200)))
    yield _real(call(1, rng.randint(3, 9), 8))
    yield _real(call(rng.randint(3, 9), 1, 12))
    yield _real(call(rng.randint(150, 200), 2, 4, base=rng.uniform(1.1, 1.9)))
    yield _real(call(2, rng.randint(150, 200), 8, base=100.0))
    yield _real(call(3, 4, 8, base=10 ** rng.uniform(6.2, 8)))
    for base in (common.base_near_one(rng), rng.uniform(1.5, 9)):
        yield _real(call(4, 5, 4 * rng.randint(3, 6), base=base))
    yield _real(call(rng.randint(1_100, 1_300), 2, 4))
    # Beyond what a byte and bfloat16 count, and a head wider than usual.
    yield _real(call(rng.randint(520, 700), 1, 4))
    yield _real(call(1, rng.randint(520, 700), 4))
    yield _real(call(3, 2, 4 * rng.randint(64, 140)))


angles2d = Exercise(
    "angles2d",
    angles2d_of,
    (Part(SQUARES, 1, _squares), Part(OTHERS, 1, _others)),
    forbidden=(encodings.Rotary2d, encodings.Rotary3d, rotary_nd.RotaryNd, encodings.Pope),
    tolerance=1e-5,
    explains=("Write `angles2d`.",),
    module=__name__,
)
