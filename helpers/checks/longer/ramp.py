"""Unit 10, “YaRN's ramp”: what it asks, and wrong frequencies.

What goes wrong with the factor of queries and keys, and around the two, is in `ramp_gain`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call
from helpers.checks.longer import common
from helpers.encodings import rope_scaling

DEFAULTS, OTHERS = "frequencies, for 1 and 32 turns", "frequencies, for other turns and bases"
GAIN = "the factor of queries and keys"
BOTH = (DEFAULTS, OTHERS)


def ramp_of(
    d_head: int,
    trained: int,
    factor: float,
    low: float = 1.0,
    high: float = 32.0,
    base: float = 10_000.0,
) -> tuple[Tensor, float]:
    """YaRN's θ′_n with the paper's ramp over turns, (d/2,), and 0.1·ln s + 1."""
    theta = common.theta(d_head, base)
    turns = trained * theta / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return (1 - kept) * theta / factor + kept * theta, 0.1 * math.log(factor) + 1


def _frequencies(asked: Case, logarithms: bool = True) -> Case:
    """By their logarithms too: at a position far away a small error is a large one."""

    def ask(answer: Answer) -> Any:
        found = asked.ask(answer)
        told = {"the number of results": common.results(found)}
        if not common.two(found):
            return told
        told |= common.real(found[0])
        if not (logarithms and isinstance(found[0], Tensor)):
            return told
        return told | {"their logarithms": found[0].double().log()}

    return Case(asked.label, ask)


def _gain(asked: Case) -> Case:
    def ask(answer: Answer) -> Any:
        found = asked.ask(answer)
        told = {"the number of results": common.results(found)}
        return told | common.number(found[1], "0.1 ln s + 1") if common.two(found) else told

    return Case(asked.label, ask)


def _by_default(rng: Random) -> Iterator[Case]:
    """Short and long trainings, odd and even numbers of pairs, whole and broken factors."""
    widths = (16, 2 * rng.randint(3, 7) + 2, 2, 64, 128, 2 * rng.randint(70, 99))
    for d_head, trained in zip(widths, (2048, 300, 4096, 24, 8192, 1000), strict=True):
        asked = call(d_head, trained + rng.randint(0, 20), rng.choice((2, 4, 8, 16)))
        yield _frequencies(asked)
        yield _frequencies(call(d_head, trained * rng.randint(1, 3), rng.uniform(1.1, 7)))
    yield _frequencies(call(rng.choice((8, 10)), 512, 1))
    yield _frequencies(call(12, rng.randint(1, 7), rng.uniform(2, 8)))  # no pair comes round
    yield _frequencies(call(12, 512, rng.uniform(1.01, 1.04)))
    yield _frequencies(call(2 * rng.randint(140, 300), rng.randint(100_000, 200_000), 2))


def _by_others(rng: Random) -> Iterator[Case]:
    """Also a base for which no pair is on the ramp, and one for which all are."""
    for d_head in (12, 2 * rng.randint(4, 9), 64, 128):
        trained, s = rng.randint(100, 5000), rng.uniform(1.5, 40)
        yield _frequencies(
            call(d_head, trained, s, low=rng.uniform(0.1, 2), high=rng.randint(4, 9))
        )
        low = rng.uniform(2, 20)
        yield _frequencies(call(d_head, trained, s, low=low, high=low + rng.uniform(0.5, 60)))
        base = 10 ** rng.uniform(1, 3)
        yield _frequencies(call(d_head, trained, s, base=base))
        yield _frequencies(call(d_head, trained, s, base=rng.randint(2, 50) * 10_000))
        yield _frequencies(call(d_head, trained, s, low=1, high=4, base=500_000.0))
        far = trained * 10
        yield _frequencies(call(d_head, trained, s, low=far, high=2 * far))
        yield _frequencies(call(d_head, trained, s, low=1e-9, high=1e-8))
        yield _frequencies(call(d_head, trained, s, low=rng.uniform(0.2, 0.9)))
        yield _frequencies(call(d_head, trained, s, high=rng.uniform(6, 90)))
        for base in (common.base_near_one(rng), rng.uniform(1.2, 9), common.large_base(rng)):
            yield _frequencies(call(d_head, trained, s, base=base))
    # By position, as the signature has them, and a text that is much longer.
    far, farther = rng.randint(60, 300), rng.randint(2000, 9000)
    low, high = rng.uniform(0.5, 3), rng.uniform(6, 40)
    yield _frequencies(call(16, rng.randint(300, 3000), rng.uniform(2, 9), low, high))
    yield _frequencies(call(16, rng.randint(300, 3000), far, low, high, rng.randint(2, 9) * 10_000))
    # Here θ/s may be what is left of a difference, of which float32 keeps few digits.
    yield _frequencies(call(16, rng.randint(300, 3000), farther, low, high), logarithms=False)


def _by_gain(rng: Random) -> Iterator[Case]:
    few = (1, rng.uniform(1.05, 1.45), rng.uniform(1.5, 2))
    for s in (4, rng.randint(2, 9), *few, rng.uniform(10, 40), 512, rng.randint(2000, 9000)):
        yield _gain(call(2 * rng.randint(2, 40), rng.randint(20, 9000), s))
    yield _gain(call(32, rng.randint(50, 99), rng.uniform(2, 6), low=0.5, high=6, base=500.0))


ramp = Exercise(
    "ramp",
    ramp_of,
    (Part(DEFAULTS, 1, _by_default), Part(OTHERS, 1, _by_others), Part(GAIN, 1, _by_gain)),
    forbidden=(encodings.Yarn, encodings.Llama3, encodings.Interpolated, rope_scaling.Extended),
    tolerance=1e-5,
    explains=("Write `ramp`.",),
    module=__name__,
)
