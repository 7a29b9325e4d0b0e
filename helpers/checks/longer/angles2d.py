"""Unit 10, “Angles of a picture”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.dtypes import with_dtype
from helpers.checks.engine import Case, Exercise, Part, call
from helpers.checks.longer import common
from helpers.encodings import rotary_nd


def angles2d_of(rows: int, columns: int, d_head: int, base: float = 10_000.0) -> Tensor:
    """Return each patch's angles, row by row, (R·C, d/2): half of the pairs by each."""
    theta = common.theta(d_head // 2, base)
    row, column = torch.cartesian_prod(torch.arange(rows), torch.arange(columns)).T[..., None]
    return torch.cat([row * theta, column * theta], 1)


def _real(*sizes: int, **options: Any) -> Case:
    return call(*sizes, **options).map(with_dtype)


def _squares(rng: Random) -> Iterator[Case]:
    """Ask with odd and even numbers of pairs for an axis, and one."""
    for side, d_head in ((3, 8), (rng.randint(5, 9), 12), (2, 4), (rng.randint(14, 20), 16)):
        yield _real(side, side, d_head)
        yield _real(side, side, d_head, base=10 ** rng.uniform(1, 6))


def _others(rng: Random) -> Iterator[Case]:
    for d_head in (8, 4, 4 * rng.randint(3, 9), 128):
        low, high = rng.randint(2, 5), rng.randint(6, 9)
        yield _real(low, high, d_head)
        yield _real(high, low, d_head, base=10 ** rng.uniform(1, 6))
    for base in (rng.uniform(1.01, 1.9), rng.randint(2, 200), 10 ** rng.uniform(6.2, 8)):
        yield _real(1, rng.randint(90, 300), 12, base=base)


angles2d = Exercise(
    "angles2d",
    angles2d_of,
    (Part("square pictures", 1, _squares), Part("any other picture and base", 1, _others)),
    forbidden=(encodings.Rotary2d, encodings.Rotary3d, rotary_nd.RotaryNd, encodings.Pope),
    tolerance=1e-5,
    module=__name__,
)
