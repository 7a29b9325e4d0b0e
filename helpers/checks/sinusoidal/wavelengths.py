"""Unit 02, “Wavelengths”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import torch

from helpers import encodings
from helpers.checks.engine import Case, Exercise, Part, call
from helpers.checks.sinusoidal import common
from helpers.encodings.sinusoidal import _frequencies


def _wavelengths(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(first)
    yield call(second)
    yield call(first, base=common.large_base(rng))
    yield call(second + 12, base=common.small_base(rng))
    yield call(2, base=round(common.large_base(rng)))  # a whole number
    yield call(common.wide(rng), base=common.large_base(rng))
    yield call(common.wide(rng) + 600)
    yield call(common.uneven_steps(rng))
    yield call(first, base=common.base_near_one(rng))
    yield call(second, base=common.huge_base(rng))


wavelengths = Exercise(
    "wavelengths",
    encodings.wavelengths,
    (Part("the wavelength of each hand", 1, _wavelengths),),
    forbidden=(_frequencies, encodings.Rotary, encodings.Pope),
    tolerance=1e-5,  # relative, as each is above 1; what float32 rounds is a tenth of that
    explains=("`d_model` is even",),
)


@wavelengths.mistake(
    "Your exponent is i/D, the paper's is 2i/D: as multiples of 2π, your wavelengths are only the "
    "square roots of the right ones.",
    breaks="λ_i = 2π / ω_i",
)
def wavelengths_exponent_i(d_model, base=10_000.0):
    return 2 * math.pi * base ** (torch.arange(d_model // 2) / d_model)


@wavelengths.mistake(
    "These are the frequencies ω (radians per position). A wavelength is the number of "
    "positions after which the angle has grown by 2π.",
    breaks="After how many positions",
)
def wavelengths_are_frequencies(d_model, base=10_000.0):
    return base ** (-torch.arange(0, d_model, 2) / d_model)


@wavelengths.mistake(
    "The first hand has ω = 1 radian per position, so it repeats after 2π positions, not 1.",
    breaks="That is its **wavelength**",
)
def wavelengths_without_two_pi(d_model, base=10_000.0):
    return base ** (torch.arange(0, d_model, 2) / d_model)


@wavelengths.mistake(
    "The argument base changes nothing in your wavelengths: a 10,000 is still written out.",
    breaks="The 10,000 is the argument",
)
def wavelengths_base_forgotten(d_model, base=10_000.0):
    return 2 * math.pi * 10_000.0 ** (torch.arange(0, d_model, 2) / d_model)


@wavelengths.mistake(
    "You return one number per column. A sine and its cosine share a wavelength: D/2 numbers.",
    breaks="returns $\\lambda_0, \\dots, \\lambda_{D/2-1}$",
)
def wavelengths_of_each_column(d_model, base=10_000.0):
    return 2 * math.pi * base ** (torch.arange(d_model) / d_model)


@wavelengths.mistake(
    "For some widths, such as D = 98, you return one number too many. Because of rounding, an "
    "arange with a fractional step such as 2/D may end a step too late; count in integers and "
    "divide afterwards."
)
def wavelengths_in_steps_of_a_fraction(d_model, base=10_000.0):
    return 2 * math.pi * base ** torch.arange(0, 1, 2 / d_model)


@wavelengths.mistake(
    "Your wavelengths run from the slowest hand to the fastest; hand 0 is the fastest."
)
def wavelengths_slowest_first(d_model, base=10_000.0):
    return (2 * math.pi * base ** (torch.arange(0, d_model, 2) / d_model)).flip(0)


@wavelengths.mistake("Your hands are counted from 1. The first is hand 0, with ω_0 = 1.")
def wavelengths_from_hand_one(d_model, base=10_000.0):
    return 2 * math.pi * base ** ((torch.arange(0, d_model, 2) + 2) / d_model)
