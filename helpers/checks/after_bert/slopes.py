"""Unit 05, “Slopes for any number of heads”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import torch

from helpers import encodings
from helpers.checks.engine import Case, Exercise, Part, call
from helpers.encodings import distance


def _powers(rng: Random) -> Iterator[Case]:
    yield call(8)
    yield call(rng.choice((4, 16)))
    yield call(rng.choice((1, 2, 32)))


def _other_numbers(rng: Random) -> Iterator[Case]:
    yield call(rng.choice((5, 6, 7)))
    yield call(rng.randint(10, 15))


slopes = Exercise(
    "slopes",
    distance.alibi_slopes,
    (
        Part("powers of 2", 1, _powers),
        Part("any other number of heads", 1, _other_numbers),
    ),
    forbidden=(encodings.Alibi,),
)


@slopes.mistake(
    "Your slopes fall in equal steps. ALiBi's fall by equal factors: the exponent, not the "
    "slope, is linear in h."
)
def slopes_linear(num_heads):
    return torch.arange(num_heads, 0, -1) / num_heads


@slopes.mistake("Your first slope is 1: h counts from 1, so that the last slope is 2⁻⁸.")
def slopes_from_h_zero(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(below)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(2 * below)]
    return torch.tensor(first + between[::2][: num_heads - below])


@slopes.mistake(
    "Your slopes halve from head to head. That is right for 8 heads only; in general the last "
    "of them is 2⁻⁸."
)
def slopes_halve_each_time(num_heads):
    return 2.0 ** -torch.arange(1, num_heads + 1)


@slopes.mistake("These are powers of e. The formula has powers of 2.")
def slopes_base_e(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [math.exp(-8 * h / below) for h in range(1, below + 1)]
    between = [math.exp(-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[::2][: num_heads - below])


@slopes.mistake("Slopes are positive; the minus of the penalty comes with the bias.")
def slopes_negative(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [-(2 ** (-8 * h / below)) for h in range(1, below + 1)]
    between = [-(2 ** (-8 * h / (2 * below))) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[::2][: num_heads - below])


@slopes.mistake(
    "Your heads are in the opposite order: head 1 has the steepest slope of the formula."
)
def slopes_reversed(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor((first + between[::2][: num_heads - below])[::-1])


@slopes.mistake(
    "You put any H into the formula. The authors' code does so for powers of 2 only; other "
    "numbers begin with the slopes of the power of 2 below.",
    loses="any other number of heads",
)
def slopes_by_the_formula_for_any_number(num_heads):
    return 2 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)


@slopes.mistake(
    "Some of your slopes occur twice: of the slopes for 2P heads the second, fourth, … are the "
    "ones you have already. Take the first, third, ….",
    loses="any other number of heads",
)
def slopes_second_fourth_sixth(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[1::2][: num_heads - below])


@slopes.mistake(
    "Of the slopes for 2P heads you skip the first half. The additional ones begin with the "
    "very first.",
    loses="any other number of heads",
)
def slopes_go_on_from_p(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor((first + between[below::2])[:num_heads])


@slopes.mistake(
    "You take the first H slopes of the power of 2 above. Begin with all slopes of the power "
    "of 2 below.",
    loses="any other number of heads",
)
def slopes_of_the_power_above(num_heads):
    above = 2 ** math.ceil(math.log2(num_heads))
    return torch.tensor([2 ** (-8 * h / above) for h in range(1, num_heads + 1)])


@slopes.mistake(
    "The additional slopes are every second one of those for 2P heads; you take them one after "
    "the other.",
    loses="any other number of heads",
)
def slopes_without_leaving_any_out(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[: num_heads - below])


@slopes.mistake(
    "The numbers are right, the order is not: first the slopes for P heads, then the "
    "additional ones.",
    loses="any other number of heads",
)
def slopes_sorted(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(sorted(first + between[::2][: num_heads - below], reverse=True))
