"""Unit 10, “YaRN's ramp”: what it asks, and wrong frequencies.

What goes wrong with the factor of queries and keys, and around the two, is in `ramp_gain`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, changed
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
)


def ramp_right(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    """The right answer, of which the mistakes below change one thing."""
    theta = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
    turns = trained * theta / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    slowed = (1 - kept) * theta / factor + kept * theta
    return slowed, 0.1 * math.log(factor) + 1


@ramp.mistake(
    "Your ramp is the wrong way round. Pairs that turn often should keep their frequency, and "
    "those that hardly turn should be interpolated.",
    loses=BOTH,
    breaks="YaRN mixes",
)
@changed(
    ramp_right,
    "(1 - kept) * theta / factor + kept * theta",
    "kept * theta / factor + (1 - kept) * theta",
)
def ramp_upside_down(): ...


@ramp.mistake(
    "Your γ is not limited to the range from 0 to 1, so fast pairs turn faster than before, and "
    "slow ones are slowed by more than s or even turn backwards.",
    loses=BOTH,
    breaks="\\begin{cases} 0",
)
@changed(ramp_right, ".clamp(0, 1)", "")
def ramp_without_its_ends(): ...


@ramp.mistake(
    "Your γ falls below 0: pairs with fewer turns than `low` are slowed by more than s.",
    loses=BOTH,
)
@changed(ramp_right, ".clamp(0, 1)", ".clamp(max=1)")
def ramp_without_its_lower_end(): ...


@ramp.mistake(
    "Your γ rises above 1: pairs with more turns than `high` become faster than they were.",
    loses=BOTH,
)
@changed(ramp_right, ".clamp(0, 1)", ".clamp(min=0)")
def ramp_without_its_upper_end(): ...


@ramp.mistake(
    "You have a step at `high` and no ramp: between the two, γ is (r − α)/(β − α).", loses=BOTH
)
@changed(ramp_right, "((turns - low) / (high - low)).clamp(0, 1)", "(turns > high).double()")
def ramp_as_a_step(): ...


@ramp.mistake(
    "You have a step at `low` and no ramp: between the two, γ is (r − α)/(β − α).", loses=BOTH
)
@changed(ramp_right, "((turns - low) / (high - low)).clamp(0, 1)", "(turns > low).double()")
def ramp_as_an_early_step(): ...


@ramp.mistake(
    "Your r is in radians. The ramp is over turns, of 2π radians each.",
    loses=BOTH,
    breaks="the turns of pair $n$",
)
@changed(ramp_right, "theta / (2 * math.pi)", "theta")
def ramp_over_radians(): ...


@ramp.mistake(
    "Your ramp counts turns in the longer text. What counts is how often a pair turned in "
    "training.",
    loses=BOTH,
    breaks="in a training text of $L$ = `trained` tokens",
)
@changed(ramp_right, "turns = trained", "turns = factor * trained")
def ramp_over_the_longer_text(): ...


@ramp.mistake(
    "Your ramp is linear in the number of the pair, as in the authors' code (or in ln r, which is "
    "the same). In the paper it is linear in the number of turns, which falls by the same factor "
    "from pair to pair.",
    loses=BOTH,
    breaks="by the turns of each pair",
)
def ramp_over_the_pairs(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    pair = torch.arange(d_head // 2, dtype=torch.float64)
    theta = base ** (-2 * pair / d_head)
    first, last = (
        d_head * math.log(trained / (each * 2 * math.pi)) / (2 * math.log(base))
        for each in (high, low)
    )
    kept = 1 - ((pair - first) / (last - first)).clamp(0, 1)
    return (1 - kept) * theta / factor + kept * theta, 0.1 * math.log(factor) + 1


@ramp.mistake(
    "Your ramp runs between whole pair numbers, as in the authors' code. In the paper it is linear "
    "in the number of turns, and its ends need not fall on a pair.",
    loses=BOTH,
)
def ramp_over_whole_pairs(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    pair = torch.arange(d_head // 2, dtype=torch.float64)
    theta = base ** (-2 * pair / d_head)
    first, last = (
        d_head * math.log(trained / (each * 2 * math.pi)) / (2 * math.log(base))
        for each in (high, low)
    )
    first, last = max(math.floor(first), 0), min(math.ceil(last), d_head - 1)
    kept = 1 - ((pair - first) / (last - first or 0.001)).clamp(0, 1)
    return (1 - kept) * theta / factor + kept * theta, 0.1 * math.log(factor) + 1


@ramp.mistake(
    "You divide by β instead of β − α, so that the ramp does not reach 1 at β turns.", loses=BOTH
)
@changed(ramp_right, "(high - low)", "high")
def ramp_divided_by_the_upper_end(): ...


@ramp.mistake(
    "You mix wavelengths, or factors. The formula mixes frequencies, which is not the same: "
    "half-way between 10 and 20 positions is 15, half-way between their frequencies is 13.3.",
    loses=BOTH,
)
@changed(
    ramp_right,
    "(1 - kept) * theta / factor + kept * theta",
    "1 / ((1 - kept) * factor / theta + kept / theta)",
)
def ramp_of_wavelengths(): ...


@ramp.mistake(
    "Interpolation divides frequencies by s; you multiply, and slow pairs become fast.", loses=BOTH
)
@changed(ramp_right, "* theta / factor", "* theta * factor")
def ramp_that_speeds_up(): ...


@ramp.mistake(
    "Your exponent is n/d. RoPE's frequencies have 2n/d.",
    loses=BOTH,
    breaks="YaRN mixes the frequency $\\theta_n$ of RoPE",
)
@changed(ramp_right, "torch.arange(0, d_head, 2, ", "torch.arange(d_head // 2, ")
def ramp_exponent_n(): ...
