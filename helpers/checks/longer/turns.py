"""Unit 10, “Who has seen every angle?”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call, changed
from helpers.checks.longer import common

TURNS, ROUND = "how many turns", "which pairs come round"


def turns_of(d_head: int, length: int, base: float = 10_000.0) -> tuple[Tensor, Tensor]:
    """T·θ_n/2π of each pair, (d/2,), and where that is at least 1."""
    found = length * common.theta(d_head, base) / (2 * math.pi)
    return found, found >= 1


def _turns(asked: Case) -> Case:
    def ask(answer: Answer) -> Any:
        found = asked.ask(answer)
        told = {"the number of results": common.results(found)}
        return told | common.real(found[0]) if common.two(found) else told

    return Case(asked.label, ask)


def _round(asked: Case) -> Case:
    def ask(answer: Answer) -> Any:
        found = asked.ask(answer)
        told = {"the number of results": common.results(found)}
        if not common.two(found):
            return told
        if not isinstance(found[1], Tensor):
            return told | {"its dtype": f"none, as it is a {type(found[1]).__name__}"}
        return told | {"its dtype": common.dtype(found[1]), "which come round": found[1].float()}

    return Case(asked.label, ask)


def _asked(rng: Random) -> Iterator[Case]:
    """Odd and even numbers of pairs, T below d and far beyond it, whole and broken bases."""
    for d_head in (
        12,
        rng.choice((2, 4)),
        2 * rng.randint(7, 15),
        64,
        128,
        2 * rng.randint(70, 99),
    ):
        yield call(d_head, rng.randint(d_head + 1, 900))
        yield call(d_head, rng.randint(1, d_head), base=10 ** rng.uniform(1, 6))
        yield call(d_head, rng.randint(2000, 200_000), base=rng.randint(2, 50) * 10_000)
    yield call(rng.choice((6, 8)), 1)
    yield call(rng.choice((8, 10)), rng.randint(2_000_000, 9_000_000))
    yield call(10, rng.randint(20, 60), base=rng.uniform(1.1, 1.9))
    yield call(10, rng.randint(20, 60), base=common.base_near_one(rng))
    yield call(2 * rng.randint(140, 300), rng.randint(2000, 9000))
    d_head, length = 2 * rng.randint(5, 9), rng.randint(100, 900)
    for base in (common.large_base(rng), rng.uniform(100, 900)):
        yield call(d_head, length, base=base)  # the same, but for the base
    yield call(10, rng.randint(20, 60), base=rng.randint(2, 9))


def _near_one(rng: Random) -> Iterator[Case]:
    """Bases for which some pair makes just more or just less than one turn."""
    for turns in (1.01, 0.99, 1.04, 0.96, 1.9, 0.55):
        d_head, length = 2 * rng.randint(6, 40), rng.randint(40, 5000)
        pair = rng.randint(d_head // 4, d_head // 2 - 1)  # so that no base is above 10⁸
        yield call(d_head, length, base=(length / (2 * math.pi * turns)) ** (d_head / 2 / pair))
    short = rng.randint(12, 19)  # where T − 1 steps would be too few, or whole wavelengths
    for turns in (1.02, 0.98, 0.997, 1.003, 0.9996, 1.0004):
        yield call(8, short, base=(short / (2 * math.pi * turns)) ** 2)


def _how_many(rng: Random) -> Iterator[Case]:
    yield from map(_turns, _asked(rng))


def _which(rng: Random) -> Iterator[Case]:
    yield from map(_round, [*_asked(rng), *_near_one(rng)])


turns = Exercise(
    "turns",
    turns_of,
    (Part(TURNS, 1, _how_many), Part(ROUND, 1, _which)),
    tolerance=1e-5,
    explains=("Write `turns`.",),
)


def turned_round(d_head, length, base=10_000.0):
    """The right answer, of which the mistakes below change one thing."""
    theta = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
    turns = length * theta / (2 * math.pi)
    return turns, turns >= 1


@turns.mistake(
    "Your turns are in radians. A full turn is 2π of them.",
    breaks="how many turns pair $n$ makes in a text of $T$ tokens",
)
@changed(turned_round, "theta / (2 * math.pi)", "theta")
def turns_in_radians(): ...


@turns.mistake("`/ 2 * math.pi` divides by 2 and then multiplies by π. 2π needs parentheses.")
@changed(turned_round, "(2 * math.pi)", "2 * math.pi")
def turns_without_parentheses(): ...


@turns.mistake("Your two results are swapped: the turns should come first.")
@changed(turned_round, "return turns, turns >= 1", "return turns >= 1, turns")
def turns_second(): ...


@turns.mistake(
    "Your turns are twice as many as they should be. A full turn is 2π radians, not π, and T "
    "tokens count once."
)
@changed(turned_round, "(2 * math.pi)", "math.pi")
def turns_of_half_a_circle(): ...


@turns.mistake(
    "These are wavelengths: how many positions one turn takes. You are asked how many turns fit "
    "into the text, which is T divided by that."
)
@changed(turned_round, "length * theta / (2 * math.pi)", "2 * math.pi / theta")
def turns_as_wavelengths(): ...


@turns.mistake("Your exponent is n/d. RoPE's is 2n/d, so that θ falls nearly to 1/base.")
@changed(turned_round, "torch.arange(0, d_head, 2, ", "torch.arange(d_head // 2, ")
def turns_exponent_n(): ...


@turns.mistake(
    "Your exponent is 4n/d, and RoPE's is 2n/d: you divide by d/2, or double 2n once more."
)
@changed(turned_round, ") / d_head)", ") / (d_head // 2))")
def turns_exponent_4n(): ...


@turns.mistake(
    "Your pairs are in the opposite order: pair 0 is the fastest.",
    breaks="It returns two tensors of shape",
)
@changed(turned_round, "/ d_head)", "/ d_head).flip(0)")
def turns_slowest_first(): ...


@turns.mistake(
    "The argument base changes nothing: a 10,000 is still hard-coded, or a result is kept from an "
    "earlier call.",
    breaks=("a base above 1", "with $\\theta_n"),
)
@changed(turned_round, "theta = base **", "theta = 10_000.0 **")
def turns_base_forgotten(): ...


@turns.mistake(
    "You count from the first token to the last, which is T − 1 steps. Here a text of T tokens has "
    "T of them, as in the paper; the difference is small, but one of the two is asked for.",
    breaks="in a text of `length` tokens",
)
@changed(turned_round, "length * theta", "(length - 1) * theta")
def turns_of_one_step_less(): ...


@turns.mistake(
    "You count full turns only. A pair that makes a tenth of a turn should get 0.1, and the slow "
    "pairs are the ones that matter here.",
    loses=TURNS,
    breaks="and the fraction counts",
)
@changed(turned_round, "return turns, ", "return turns.floor(), ")
def turns_whole_ones_only(): ...


@turns.mistake(
    "Your second result is the wrong way round. It should be True where a pair does come round.",
    loses=ROUND,
    breaks="whether pair $n$ comes round",
)
@changed(turned_round, "turns >= 1", "turns < 1")
def turns_not_round(): ...


@turns.mistake(
    "You let a pair come round after half a turn. It comes round only after a full one, with "
    "offsets counted to one side.",
    loses=ROUND,
)
@changed(turned_round, "turns >= 1", "turns >= 0.5")
def turns_round_after_half(): ...


@turns.mistake(
    "You ask for two whole turns. One is enough, so a pair with 1.3 turns comes round too.",
    loses=ROUND,
)
@changed(turned_round, "turns >= 1", "turns >= 2")
def turns_round_after_two(): ...


@turns.mistake(
    "You compare radians with 1. One turn is 2π of them.",
    loses=ROUND,
)
@changed(turned_round, "turns >= 1", "length * theta >= 1")
def turns_round_after_a_radian(): ...


@turns.mistake(
    "Your second result is the number of pairs that come round. Return one bool for each pair.",
    loses=ROUND,
)
@changed(turned_round, "turns >= 1", "(turns >= 1).sum()")
def turns_round_counted(): ...


@turns.mistake(
    "Your second result has numbers in it. A comparison gives bools, which can serve as an index.",
    loses=ROUND,
    breaks="as bool",
)
@changed(turned_round, "turns >= 1", "(turns >= 1).float()")
def turns_round_as_numbers(): ...


@turns.mistake(
    "You return one tensor. Return two: the turns, and which pairs come round.",
    breaks="in this order",
)
@changed(turned_round, "return turns, turns >= 1", "return turns")
def turns_alone(): ...
