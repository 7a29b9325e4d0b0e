"""Unit 10, “YaRN's ramp”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

from torch import Tensor

from helpers import encodings
from helpers.checks.dtypes import with_dtype
from helpers.checks.engine import Case, Exercise, Part, call
from helpers.checks.longer import common
from helpers.encodings import rope_scaling


def ramp_of(
    d_head: int, trained: int, factor: float, low: float = 1, high: float = 32, base: float = 1e4
) -> tuple[Tensor, float]:
    """Return YaRN's θ′_n with the paper's ramp over turns, (d/2,), and 0.1·ln s + 1."""
    theta = common.theta(d_head, base)
    turns = trained * theta / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return (1 - kept) * theta / factor + kept * theta, 0.1 * math.log(factor) + 1


def _frequencies(*sizes: Any, **options: Any) -> Case:
    return common.of_two(call(*sizes, **options), 0, _logarithms)


def _logarithms(found: Any) -> dict[str, Any]:
    """Tell the frequencies and their logarithms: far away a small error is a large one."""
    told = with_dtype(found)
    return told | ({"their logarithms": found.log()} if isinstance(found, Tensor) else {})


def _by_default(rng: Random) -> Iterator[Case]:
    """Ask with short and long trainings, odd and even numbers of pairs, any factors."""
    widths = (16, 2 * rng.randint(4, 8), 2, 64, 2 * rng.randint(70, 99))
    for d_head, trained in zip(widths, (2048, 300, 4096, 24, 8192), strict=True):
        yield _frequencies(d_head, trained + rng.randint(0, 20), rng.choice((2, 4, 8, 16)))
        yield _frequencies(d_head, trained * rng.randint(1, 3), rng.uniform(1.1, 7))
    yield _frequencies(12, rng.randint(1, 7), rng.uniform(2, 8))  # no pair comes round


def _by_others(rng: Random) -> Iterator[Case]:
    """Ask also with a base for which no pair is on the ramp, and one for which all are."""
    for d_head in (12, 2 * rng.randint(4, 9), 128):
        trained, s = rng.randint(100, 5000), rng.uniform(1.5, 40)
        low = rng.uniform(2, 20)
        yield _frequencies(d_head, trained, s, low=low, high=low + rng.uniform(0.5, 60))
        yield _frequencies(d_head, trained, s, low=rng.uniform(0.2, 0.9))
        yield _frequencies(d_head, trained, s, high=rng.uniform(6, 90))
        yield _frequencies(d_head, trained, s, low=trained * 10, high=trained * 20)
        yield _frequencies(d_head, trained, s, low=1, high=4, base=500_000.0)
        for base in (rng.uniform(1.01, 1.9), 10 ** rng.uniform(1, 3), 10 ** rng.uniform(7, 8)):
            yield _frequencies(d_head, trained, s, base=base)
    yield _frequencies(16, 900, 99, 0.5, rng.uniform(6, 40), 40_000)


def _by_gain(rng: Random) -> Iterator[Case]:
    for s in (4, 1, rng.uniform(1.05, 2), rng.uniform(10, 40), rng.randint(500, 9000)):
        asked = call(2 * rng.randint(2, 40), rng.randint(20, 9000), s)
        yield common.of_two(asked, 1, common.number)


ramp = Exercise(
    "ramp",
    ramp_of,
    (
        Part("frequencies, for 1 and 32 turns", 1, _by_default),
        Part("frequencies, for other turns and bases", 1, _by_others),
        Part("the factor of queries and keys", 1, _by_gain),
    ),
    forbidden=(encodings.Yarn, encodings.Llama3, encodings.Interpolated, rope_scaling.Extended),
    tolerance=1e-5,
    module=__name__,
)
