"""Unit 05, “Slopes for any number of heads”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.encodings import distance

POWERS, OTHERS = "powers of 2", "any other number of heads"
DTYPES = (torch.float32, torch.float64)


def _slopes(num_heads: int) -> Tensor:
    """2^(−8h/P) for the largest power P of 2 up to H, then every second one for 2P, (H,)."""
    return distance.alibi_slopes(num_heads)


def _as_tensor(num_heads: int) -> Case:
    def ask(answer: Answer) -> Any:
        found = answer(num_heads)
        return {"its type": _kind(found), "its dtype": _dtype(found), "the slopes": found}

    return Case(f"({num_heads})", ask)


def _kind(found: Any) -> str:
    """A parameter is a tensor as well."""
    return "Tensor" if isinstance(found, Tensor) else type(found).__name__


def _dtype(found: Any) -> str:
    """Either of the two will do; of anything else it is said what it is."""
    dtype = found.dtype if isinstance(found, Tensor) else DTYPES[0]
    return "float32 or float64" if dtype in DTYPES else str(dtype).removeprefix("torch.")


def _powers(_rng: Random) -> Iterator[Case]:
    return (_as_tensor(heads) for heads in (8, 4, 16, 1, 2, 32, 64, 128, 256, 512, 2048))


def _other_numbers(rng: Random) -> Iterator[Case]:
    numbers = [*range(3, 72), rng.randint(72, 127), rng.randint(129, 255)]
    numbers += [rng.randint(257, 511), rng.randint(513, 900), rng.randint(1025, 2000)]
    numbers += rng.sample(range(65, 71), 2)  # asked before, which makes no difference
    return (_as_tensor(heads) for heads in numbers if heads & (heads - 1))


slopes = Exercise(
    "slopes",
    _slopes,
    (
        Part(POWERS, 1, _powers),
        Part(OTHERS, 1, _other_numbers),
    ),
    forbidden=(encodings.Alibi, distance.alibi_slopes),
    # The last slope is 1/256, of which the usual 1e-4 would be 3 %.
    tolerance=3e-6,
    explains=("For $H = 3$ that is",),
)


@slopes.mistake(
    "Your slopes fall in equal steps. ALiBi's fall by equal factors: the exponent, not the "
    "slope, is linear in h."
)
def slopes_linear(num_heads):
    return torch.arange(num_heads, 0, -1) / num_heads


@slopes.mistake(
    "Your first slope is 1: h counts from 1, so that the last slope is 2⁻⁸.",
    breaks="ALiBi's slope of each head",
)
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
    "You put any H into the formula. The authors' code does so for powers of 2 only; for any "
    "other H it begins with the slopes for the next lower power of 2.",
    loses=OTHERS,
    breaks=("The formula is meant for an $H$ that is", "let $P$ be the largest power of 2 below"),
)
def slopes_by_the_formula_for_any_number(num_heads):
    return 2 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)


@slopes.mistake(
    "Some of your slopes occur twice: of the slopes for 2P heads the second, fourth, … are the "
    "ones you already have. Take the first, third, ….",
    loses=OTHERS,
    breaks="The remaining $H - P$ slopes are the first, third, fifth",
)
def slopes_second_fourth_sixth(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[1::2][: num_heads - below])


@slopes.mistake(
    "Of the slopes for 2P heads you skip the first half. The additional ones begin with the "
    "very first.",
    loses=OTHERS,
)
def slopes_go_on_from_p(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor((first + between[below::2])[:num_heads])


@slopes.mistake(
    "You take the first H of the slopes for the next higher power of 2. Begin with all the "
    "slopes for the next lower one.",
    loses=OTHERS,
    breaks="The first $P$ slopes are those for $P$ heads",
)
def slopes_of_the_power_above(num_heads):
    above = 2 ** math.ceil(math.log2(num_heads))
    return torch.tensor([2 ** (-8 * h / above) for h in range(1, num_heads + 1)])


@slopes.mistake(
    "The additional slopes are every second one of those for 2P heads; you take them one after "
    "the other.",
    loses=OTHERS,
)
def slopes_without_leaving_any_out(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[: num_heads - below])


@slopes.mistake(
    "The numbers are right, the order is not: first the slopes for P heads, then the "
    "additional ones.",
    loses=OTHERS,
)
def slopes_sorted(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(sorted(first + between[::2][: num_heads - below], reverse=True))


@slopes.mistake(
    "For a power of 2 the formula alone is enough: you begin with the slopes for half as many "
    "heads and add the rest, as for other numbers of heads.",
    loses=POWERS,
)
def slopes_of_the_power_below_a_power(num_heads):
    below = 1
    while 2 * below < num_heads:
        below *= 2
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[::2][: num_heads - below])


@slopes.mistake(
    "You take the additional slopes, the first, third, …, from those for H heads. The authors "
    "take them from the slopes for 2P heads.",
    loses=OTHERS,
)
def slopes_between_by_the_number_of_heads(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / num_heads) for h in range(1, 2 * num_heads + 1)]
    return torch.tensor(first + between[::2][: num_heads - below])


@slopes.mistake(
    "Your additional slopes are the last of those that are left. Take them from the front: the "
    "first, the third, ….",
    loses=OTHERS,
)
def slopes_from_the_back(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    more = num_heads - below
    return torch.tensor(first + between[::2][below - more :])


@slopes.mistake(
    "Your slopes are a list. Return a tensor, so that other code can compute with it.",
    breaks="as a tensor of shape $(H,)$",
)
def slopes_in_a_list(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return first + between[::2][: num_heads - below]
