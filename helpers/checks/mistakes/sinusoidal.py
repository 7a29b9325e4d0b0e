"""Unit 02: what people write instead of sinusoidal encoding."""

from __future__ import annotations

import math

import torch

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.sinusoidal_module import MODULE
from helpers.checks.mistakes.sinusoidal_offsets import SHIFT, SIMILARITY

__all__ = ["ANY_WIDTH", "MODULE", "SHIFT", "SIMILARITY", "TABLE", "WAVELENGTHS"]


def wavelengths_exponent_i(d_model, base=10_000.0):
    return 2 * math.pi * base ** (torch.arange(d_model // 2) / d_model)


def wavelengths_are_frequencies(d_model, base=10_000.0):
    return base ** (-torch.arange(0, d_model, 2) / d_model)


def wavelengths_without_two_pi(d_model, base=10_000.0):
    return base ** (torch.arange(0, d_model, 2) / d_model)


def wavelengths_of_each_column(d_model, base=10_000.0):
    return 2 * math.pi * base ** (torch.arange(d_model) / d_model)


def wavelengths_base_forgotten(d_model, base=10_000.0):
    return 2 * math.pi * 10_000.0 ** (torch.arange(0, d_model, 2) / d_model)


_ALL_WAVELENGTHS = ("the wavelength of each pair",)
WAVELENGTHS = (
    Mistake(
        wavelengths_exponent_i,
        "Your exponent is i/D, the paper's is 2i/D: the longest wavelength should come close to "
        "2π·base, yours stops near 2π·√base.",
        _ALL_WAVELENGTHS,
    ),
    Mistake(
        wavelengths_are_frequencies,
        "These are the frequencies ω (radians per position). A wavelength is how many positions "
        "pass until the angle has grown by 2π.",
        _ALL_WAVELENGTHS,
    ),
    Mistake(
        wavelengths_without_two_pi,
        "The first pair has ω = 1 radian per position, so it repeats after 2π positions, not 1.",
        _ALL_WAVELENGTHS,
    ),
    Mistake(
        wavelengths_base_forgotten,
        "The argument base changes nothing in your wavelengths: a 10,000 is still written out.",
        _ALL_WAVELENGTHS,
    ),
    Mistake(
        wavelengths_of_each_column,
        "You give one number per column. A sine and its cosine share a wavelength: D/2 numbers.",
        _ALL_WAVELENGTHS,
    ),
)


def table_sin_and_cos_swapped(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.cos(), angles.sin()], -1).flatten(1)


def table_halves_concatenated(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.cat([angles.sin(), angles.cos()], -1)


def table_exponent_i(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(d_model // 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def table_exponent_of_each_column(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(d_model) / d_model)
    return torch.stack([angles[:, 0::2].sin(), angles[:, 1::2].cos()], -1).flatten(1)


def table_one_frequency_less_in_the_exponent(num_positions, d_model, base=10_000.0):
    half = d_model // 2
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(half) / (half - 1))
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def table_positions_from_one(num_positions, d_model, base=10_000.0):
    positions = torch.arange(1, num_positions + 1)[:, None]
    angles = positions * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def table_in_degrees(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    angles = angles.deg2rad()
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def table_base_forgotten(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * 10_000.0 ** (
        -torch.arange(0, d_model, 2) / d_model
    )
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def table_angles_multiplied(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.double().sin(), angles.double().cos()], -1).flatten(1)


_ALL_TABLE = ("the paper's base", "any other base")
TABLE = (
    Mistake(
        table_sin_and_cos_swapped,
        "Sine and cosine have changed places: the formula puts the sine in the even columns "
        "0, 2, 4, …, so row 0 reads 0, 1, 0, 1, …",
        _ALL_TABLE,
    ),
    Mistake(
        table_halves_concatenated,
        "All your sines stand first and all cosines after them. Some libraries do that, but the "
        "paper's formula interleaves: sin, cos, sin, cos, …",
        _ALL_TABLE,
    ),
    Mistake(
        table_exponent_i,
        "Your exponent is i/D, the paper's is 2i/D. The frequencies should span the whole way "
        "from 1 down to nearly 1/base.",
        _ALL_TABLE,
    ),
    Mistake(
        table_exponent_of_each_column,
        "Each of your columns has a frequency of its own. Columns 2i and 2i+1 share one: the "
        "exponent of the cosine is 2i/D as well.",
        _ALL_TABLE,
    ),
    Mistake(
        table_one_frequency_less_in_the_exponent,
        "You divide the exponent by D/2 − 1, as tensor2tensor and the libraries that followed it "
        "do. The paper's formula divides by D/2.",
        _ALL_TABLE,
    ),
    Mistake(
        table_positions_from_one,
        "Your first row is position 1. Positions count from 0, so row 0 reads 0, 1, 0, 1, …",
        _ALL_TABLE,
    ),
    Mistake(
        table_in_degrees,
        "The angle p·ω is in radians already; converting it from degrees makes every wave 57 "
        "times too long.",
        _ALL_TABLE,
    ),
    Mistake(
        table_base_forgotten,
        "The argument base changes nothing in your table: a 10,000 is still written out somewhere.",
        ("any other base",),
    ),
    Mistake(
        table_angles_multiplied,
        "Your frequencies grow with the column. The power of base divides the position: the sign "
        "of the exponent is minus.",
        _ALL_TABLE,
    ),
)


def width_one_column_short(num_positions, d_model, base=10_000.0):
    half = d_model // 2
    angles = torch.arange(num_positions)[:, None] * base ** (-2 * torch.arange(half) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def width_padded_with_zeros(num_positions, d_model, base=10_000.0):
    half = d_model // 2
    angles = torch.arange(num_positions)[:, None] * base ** (-2 * torch.arange(half) / d_model)
    table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    return torch.nn.functional.pad(table, (0, d_model % 2))


def width_cut_from_a_wider_table(num_positions, d_model, base=10_000.0):
    wide = d_model + d_model % 2
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, wide, 2) / wide)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :d_model]


def width_ends_in_a_cosine(num_positions, d_model, base=10_000.0):
    angles = torch.arange(num_positions)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    return torch.cat([table[:, : d_model - d_model % 2], table[:, d_model:]], 1)


def width_base_forgotten(num_positions, d_model, base=10_000.0):
    omega = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = torch.arange(num_positions)[:, None] * omega
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :d_model]


_ODD = ("odd widths", "a single column")
ANY_WIDTH = (
    Mistake(
        width_one_column_short,
        "An odd D lost its last column: d_model // 2 rounds down, but the last sine is still "
        "wanted, without a cosine beside it.",
        _ODD,
    ),
    Mistake(
        width_padded_with_zeros,
        "Your last column is zero. The formula has a sine for it; only its cosine falls away.",
        _ODD,
    ),
    Mistake(
        width_cut_from_a_wider_table,
        "You build D+1 columns and cut one off. The values then follow 2i/(D+1); the formula "
        "keeps 2i/D for every D.",
        ("odd widths",),
    ),
    Mistake(
        width_base_forgotten,
        "The argument base changes nothing here: a 10,000 is still written out.",
        ("odd widths", "even widths as before"),
    ),
    Mistake(
        width_ends_in_a_cosine,
        "Your last column is the cosine of the last pair. Column D−1 is even when D is odd, and "
        "even columns are sines.",
        _ODD,
    ),
)
