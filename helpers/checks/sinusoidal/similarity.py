"""Unit 02, “Similarity by offset”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks.engine import Case, Exercise, Part, call, differentiated, digits
from helpers.checks.engine.hints import DTYPE, NO_GRADIENT
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


def _of_any(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(_numbers(rng, common.random_length(rng), first))
    yield call(_numbers(rng, common.short_length(rng), second + 1))
    yield call(_numbers(rng, second, second))  # T = D
    yield call(_numbers(rng, common.short_length(rng), 1))
    yield call(_numbers(rng, 1, second))
    ends = _numbers(rng, common.short_length(rng), 5)
    ends[0] = ends[-1] = 9  # so that entry 0 is not the largest
    yield call(ends)


def _backwards(rng: Random) -> Iterator[Case]:
    table = _numbers(rng, common.short_length(rng), 5)
    yield differentiated(in_bfloat16=False, table=table)
    yield digits("(table)", table)


similarity = Exercise(
    "similarity",
    encodings.offset_profile,
    (
        Part("a sinusoidal table", 0.5, _of_sinusoids),
        Part("any other table", 1, _of_any),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    generic={
        "The result has the dtype and the precision of $P$": DTYPE,
        "gradients must reach $P$": NO_GRADIENT,
    },
    module=__name__,
)
