"""Unit 05: what people write instead of the slopes of ALiBi."""

from __future__ import annotations

import math

import torch

from helpers.checks.exercise import Mistake


def slopes_linear(num_heads):
    return torch.arange(num_heads, 0, -1) / num_heads


def slopes_from_h_zero(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(below)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(2 * below)]
    return torch.tensor(first + between[::2][: num_heads - below])


def slopes_halve_each_time(num_heads):
    return 2.0 ** -torch.arange(1, num_heads + 1)


def slopes_base_e(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [math.exp(-8 * h / below) for h in range(1, below + 1)]
    between = [math.exp(-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[::2][: num_heads - below])


def slopes_negative(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [-(2 ** (-8 * h / below)) for h in range(1, below + 1)]
    between = [-(2 ** (-8 * h / (2 * below))) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[::2][: num_heads - below])


def slopes_reversed(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor((first + between[::2][: num_heads - below])[::-1])


def slopes_by_the_formula_for_any_number(num_heads):
    return 2 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)


def slopes_second_fourth_sixth(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[1::2][: num_heads - below])


def slopes_go_on_from_p(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor((first + between[below::2])[:num_heads])


def slopes_of_the_power_above(num_heads):
    above = 2 ** math.ceil(math.log2(num_heads))
    return torch.tensor([2 ** (-8 * h / above) for h in range(1, num_heads + 1)])


def slopes_without_leaving_any_out(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(first + between[: num_heads - below])


def slopes_sorted(num_heads):
    below = 2 ** int(math.log2(num_heads))
    first = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1)]
    return torch.tensor(sorted(first + between[::2][: num_heads - below], reverse=True))


_POWERS, _OTHERS = "powers of 2", "any other number of heads"
SLOPES = (
    Mistake(
        slopes_linear,
        "Your slopes fall in equal steps. ALiBi's fall by equal factors: the exponent, not the "
        "slope, is linear in h.",
        (_POWERS, _OTHERS),
    ),
    Mistake(
        slopes_from_h_zero,
        "Your first slope is 1: h counts from 1, so that the last slope is 2⁻⁸.",
        (_POWERS, _OTHERS),
    ),
    Mistake(
        slopes_halve_each_time,
        "Your slopes halve from head to head. That is right for 8 heads only; in general the last "
        "of them is 2⁻⁸.",
        (_POWERS, _OTHERS),
    ),
    Mistake(
        slopes_base_e,
        "These are powers of e. The formula has powers of 2.",
        (_POWERS, _OTHERS),
    ),
    Mistake(
        slopes_negative,
        "Slopes are positive; the minus of the penalty comes with the bias.",
        (_POWERS, _OTHERS),
    ),
    Mistake(
        slopes_reversed,
        "Your heads are in the opposite order: head 1 has the steepest slope of the formula.",
        (_POWERS, _OTHERS),
    ),
    Mistake(
        slopes_by_the_formula_for_any_number,
        "You put any H into the formula. The authors' code does so for powers of 2 only; other "
        "numbers begin with the slopes of the power of 2 below.",
        (_OTHERS,),
    ),
    Mistake(
        slopes_second_fourth_sixth,
        "Some of your slopes occur twice: of the slopes for 2P heads the second, fourth, … are the "
        "ones you have already. Take the first, third, ….",
        (_OTHERS,),
    ),
    Mistake(
        slopes_go_on_from_p,
        "Of the slopes for 2P heads you skip the first half. The additional ones begin with the "
        "very first.",
        (_OTHERS,),
    ),
    Mistake(
        slopes_of_the_power_above,
        "You take the first H slopes of the power of 2 above. Begin with all slopes of the power "
        "of 2 below.",
        (_OTHERS,),
    ),
    Mistake(
        slopes_without_leaving_any_out,
        "The additional slopes are every second one of those for 2P heads; you take them one after "
        "the other.",
        (_OTHERS,),
    ),
    Mistake(
        slopes_sorted,
        "The numbers are right, the order is not: first the slopes for P heads, then the "
        "additional ones.",
        (_OTHERS,),
    ),
)
