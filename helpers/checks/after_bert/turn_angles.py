"""Unit 05, “Turn every pair”: wrong angles, wrong dtypes, and what else people write instead."""

from __future__ import annotations

import torch

from helpers.checks.after_bert.turn import BACKWARDS, BASE, LAYOUTS, NEIGHBOURS, turn
from helpers.checks.engine import changed


def turned_right(x, base=10_000.0, layout="interleaved"):
    """The right answer, of which the mistakes below change one thing."""
    d = x.shape[-1]
    theta = base ** (-torch.arange(0, d, 2) / d)
    angles = torch.arange(x.shape[2])[:, None] * theta
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "You turn the other way, by −p·θ. With (a, b) as a point, a positive angle gives "
    "a·cos − b·sin as the new a.",
    breaks="turned by p·θ_n",
)
@changed(turned_right, "angles = torch", "angles = -torch")
def turn_backwards(): ...


@turn.mistake(
    "The angle p·θ is in radians already. Converted from degrees, it is 57 times too small."
)
@changed(turned_right, "[:, None] * theta", "[:, None] * theta.deg2rad()")
def turn_in_degrees(): ...


@turn.mistake("Your exponent is divided by d/2, the number of pairs. The paper's is 2n/d.")
@changed(turned_right, "2) / d)", "2) / (d // 2))")
def turn_exponent_4n(): ...


@turn.mistake(
    "Your exponent is n/d, the paper's is 2n/d: over the pairs, θ should fall from 1 to nearly "
    "1/base."
)
@changed(turned_right, "torch.arange(0, d, 2) / d", "torch.arange(d // 2) / d")
def turn_exponent_n(): ...


@turn.mistake(
    "Your exponents reach 1 at the last pair, as with linspace. The paper's are 2n/d, so the last "
    "is 1 − 2/d."
)
@changed(turned_right, "torch.arange(0, d, 2) / d", "torch.linspace(0, 1, d // 2)")
def turn_exponent_up_to_one(): ...


@turn.mistake(
    "Your exponent is divided by H·d, the width of the model. Each head is turned separately: "
    "divide by d, the last axis of x."
)
@changed(turned_right, "2) / d)", "2) / (d * x.shape[1]))")
def turn_width_of_the_model(): ...


@turn.mistake(
    "Your first token is turned as well. Positions are counted from 0, so position 0 stays as "
    "it is. (Scores would not notice, but the exercise does.)",
    breaks="at position $p = 0, \\dots, T-1$",
)
@changed(turned_right, "torch.arange(x.shape[2])", "torch.arange(1, x.shape[2] + 1)")
def turn_positions_from_one(): ...


@turn.mistake(
    "Each head gets one angle for all of its tokens: your positions run along the heads. x is "
    "(B, H, T, d); positions are its third axis."
)
@changed(
    turned_right, "torch.arange(x.shape[2])[:, None]", "torch.arange(x.shape[1])[:, None, None]"
)
def turn_positions_along_the_heads(): ...


@turn.mistake(
    "The argument base changes nothing: a 10,000 is still written out.", loses=(BASE, LAYOUTS)
)
@changed(turned_right, "theta = base **", "theta = 10_000.0 **")
def turn_base_forgotten(): ...


@turn.mistake(
    "For layout='halves' the argument base changes nothing: both layouts turn by the same angles.",
    loses=LAYOUTS,
)
@changed(turned_right, "theta = base **", "theta = (10_000.0 if layout == 'halves' else base) **")
def turn_base_forgotten_in_halves(): ...


@turn.mistake(
    "Your angles grow from pair to pair. The exponent of base should be negative, so that "
    "pair 0 is the fastest, with 1 radian per position."
)
@changed(turned_right, "base ** (-torch", "base ** (torch")
def turn_angles_grow(): ...


@turn.mistake(
    "Your angles are in the opposite order: pair 0 should be the fastest, with 1 radian per "
    "position.",
)
@changed(turned_right, "2) / d)", "2) / d).flip(0)")
def turn_slowest_pair_first(): ...


@turn.mistake(
    "Sine and cosine have changed places: at position 0 the angle is 0, and nothing may move."
)
@changed(turned_right, "cos, sin = angles", "sin, cos = angles")
def turn_sine_and_cosine_swapped(): ...


@turn.mistake(
    "You add cosines and sines, as an encoding at the input does. Here each pair (a, b) is "
    "multiplied by a rotation, and its length does not change."
)
def turn_adds_the_angles(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        return x + torch.cat([cos, sin], -1)
    return x + torch.stack([cos, sin], -1).flatten(-2)


@turn.mistake(
    "Your table of angles ends at some length, such as 512, and beyond it nothing is turned "
    "correctly. Make the angles for as many positions as x has.",
    loses=(NEIGHBOURS, BASE, LAYOUTS),
    breaks="$T$ may be any length",
)
@changed(turned_right, "torch.arange(x.shape[2])", "torch.arange(x.shape[2]).clamp(max=511)")
def turn_up_to_512(): ...


@turn.mistake(
    "Your table of angles ends at some length, such as 1,024, and beyond it nothing is turned "
    "correctly. Make the angles for as many positions as x has.",
    loses=(NEIGHBOURS, BASE, LAYOUTS),
)
@changed(turned_right, "torch.arange(x.shape[2])", "torch.arange(1024)[: x.shape[2]]")
def turn_with_a_table_of_1024(): ...


@turn.mistake(
    "Your table of angles ends at 8,192 positions, and beyond it nothing is turned correctly. "
    "Make the angles for as many positions as x has.",
    loses=NEIGHBOURS,
)
@changed(turned_right, "torch.arange(x.shape[2])", "torch.arange(x.shape[2]).clamp(max=8191)")
def turn_up_to_8192(): ...


@turn.mistake(
    "You turn only the first 32 pairs of a head. A head of 128 columns has 64 of them.",
    loses=(NEIGHBOURS, BASE, LAYOUTS),
    breaks="pair $n$ is turned by",
)
@changed(turned_right, "2) / d)\n", "2) / d) * (torch.arange(d // 2) < 32)\n")
def turn_in_32_pairs(): ...


@turn.mistake(
    "You ignore base where it is an int. An int is a number too.",
    loses=BASE,
    breaks="`base` is any number above 1",
)
@changed(turned_right, "theta = base", "theta = (base if isinstance(base, float) else 1e4)")
def turn_base_only_as_a_float(): ...


@turn.mistake(
    "You replace a base below 2 by a larger one. Any number above 1 is allowed, such as 1.2.",
    loses=BASE,
)
@changed(turned_right, "theta = base **", "theta = max(base, 2.0) **")
def turn_base_from_two_on(): ...


@turn.mistake(
    "You replace a very large base by a smaller one. Any number above 1 is allowed, such as 10 "
    "million.",
    loses=BASE,
)
@changed(turned_right, "theta = base **", "theta = min(base, 1e6) **")
def turn_base_up_to_a_million(): ...


@turn.mistake(
    "view cannot merge the axes of a transposed tensor. Work on the last two axes as they are, or "
    "use reshape.",
    loses=(NEIGHBOURS, LAYOUTS),
    breaks="may be a transposed view",
)
@changed(turned_right, "d = x.shape[-1]", "d = x.view(-1, x.shape[-1]).shape[-1]")
def turn_with_a_view(): ...


@turn.mistake(
    "You compute in float32 and convert the result to float64 afterwards: of sixteen digits "
    "only seven are left. Only the angles may be in float32.",
    loses=BACKWARDS,
    breaks="but multiply by them in the precision",
)
@changed(turned_right, "d = x.shape[-1]", "x, d = x.float().to(x.dtype), x.shape[-1]")
def turn_rounded_to_float32(): ...


@turn.mistake(
    "view_as_complex needs the two numbers of a pair side by side in memory, where a "
    "transposed view such as x.mT does not have them. Call contiguous() on its argument.",
    loses=(NEIGHBOURS, LAYOUTS),
)
def turn_pairs_seen_as_complex(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    unit = torch.polar(torch.ones_like(angles), angles)
    if layout == "interleaved":
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * unit).flatten(-2).to(x.dtype)
    pairs = torch.complex(*x.chunk(2, -1)) * unit
    return torch.cat([pairs.real, pairs.imag], -1).to(x.dtype)


@turn.mistake(
    "Gradients reach x only up to some position. They should reach every token.",
    loses=BACKWARDS,
)
@changed(
    turned_right,
    "d = x.shape[-1]",
    "x, d = torch.cat([x[:, :, :64], x[:, :, 64:].detach()], 2), x.shape[-1]",
)
def turn_without_gradients_beyond_64(): ...


@turn.mistake(
    "Your two layouts are swapped: 'interleaved' means neighbours, columns 2n and 2n + 1, and "
    "'halves' columns n and n + d/2."
)
@changed(turned_right, 'layout == "halves"', 'layout == "interleaved"')
def turn_with_the_layouts_swapped(): ...


@turn.mistake(
    "Each layout is right where it is named, but without a name you pair column n with n + d/2. "
    "The default is 'interleaved'.",
    loses=(NEIGHBOURS, BASE, BACKWARDS),
)
@changed(turned_right, 'layout="interleaved"', 'layout="halves"')
def turn_in_halves_by_default(): ...
