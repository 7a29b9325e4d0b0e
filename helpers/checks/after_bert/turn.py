"""Unit 05, “Turn every pair”: what it asks, and what people write instead."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from random import Random

import torch

from helpers import encodings
from helpers.checks.after_bert import common
from helpers.checks.engine import Answer, Case, Exercise, Part, call

BASES = (100.0, 500.0, 50_000.0)


def _neighbours(rng: Random) -> Iterator[Case]:
    yield call(common.random_heads(rng))
    yield call(common.random_heads(rng))


def _turn_base(rng: Random) -> Iterator[Case]:
    yield call(common.random_heads(rng), base=rng.choice(BASES))


def _halves(rng: Random) -> Iterator[Case]:
    yield call(common.random_heads(rng), layout="halves")
    yield call(common.random_heads(rng), layout="interleaved")


def _elsewhere() -> tuple[Answer, ...]:
    """PyTorch's own rotation, where this version has one."""
    try:
        return (importlib.import_module("torch.onnx.ops").rotary_embedding,)
    except (ImportError, AttributeError):
        return ()


turn = Exercise(
    "turn",
    common.turned,
    (
        Part("pairs of neighbouring columns", 1, _neighbours),
        Part("any other base", 0.5, _turn_base),
        Part("both layouts", 1, _halves),
    ),
    forbidden=(encodings.Rotary, encodings.XPos, *_elsewhere()),
)


@turn.mistake(
    "You turn the other way, by −p·θ. With (a, b) as a point, a positive angle gives "
    "a·cos − b·sin as the new a."
)
def turn_backwards(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos + b * sin, b * cos - a * sin], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos + b * sin, b * cos - a * sin], -1).flatten(-2)


@turn.mistake(
    "You pair column n with column n + d/2, as GPT-NeoX does, whatever layout says. The "
    "paper's pairs, layout='interleaved', are neighbours."
)
def turn_always_in_halves(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


@turn.mistake(
    "The argument layout changes nothing: you pair neighbours in both cases.", loses="both layouts"
)
def turn_always_neighbours(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "Your columns are paired in one layout and your angles are spread in the other. Both "
    "columns of pair n need the same angle p·θ_n: repeat and repeat_interleave differ in just "
    "this."
)
def turn_with_the_angles_of_the_other_layout(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    if layout == "halves":
        angles = angles.repeat_interleave(2, -1)
        partner = torch.cat([-x[..., d // 2 :], x[..., : d // 2]], -1)
    else:
        angles = angles.repeat(1, 2)
        partner = torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)
    return x * angles.cos() + partner * angles.sin()


@turn.mistake(
    "For layout='halves' you read the two halves, but write each pair side by side. A turned "
    "pair goes back to the columns from which it came.",
    loses="both layouts",
)
def turn_halves_written_as_neighbours(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
    else:
        a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "You read neighbours, but write all new a's first and all new b's after them. A turned "
    "pair goes back to the columns from which it came."
)
def turn_neighbours_written_as_halves(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
    else:
        a, b = x[..., 0::2], x[..., 1::2]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


@turn.mistake(
    "The angle p·θ is in radians already. Converted from degrees, it is 57 times too small."
)
def turn_in_degrees(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    angles = angles.deg2rad()
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake("Your exponent is divided by d/2, the number of pairs. The paper's is 2n/d.")
def turn_exponent_4n(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / (d // 2))
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "Your exponent is n/d, the paper's is 2n/d: over the pairs, θ should fall from 1 to nearly "
    "1/base."
)
def turn_exponent_n(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(d // 2) / d)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "Your exponent is divided by H·d, the width of the model. Each head is turned by itself: "
    "divide by d, the last axis of x."
)
def turn_width_of_the_model(x, base=10_000.0, layout="interleaved"):
    d, width = x.shape[-1], x.shape[1] * x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / width)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "Your first token is turned as well. Positions count from 0, so position 0 stays as it is. "
    "(Scores would not notice, but the exercise does.)"
)
def turn_positions_from_one(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(1, x.shape[2] + 1)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "Each head gets one angle for all of its tokens: your positions run along the heads. x is "
    "(B, H, T, d); positions are its third axis."
)
def turn_positions_along_the_heads(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[1])[:, None, None] * base ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "The argument base changes nothing: a 10,000 is still written out.", loses="any other base"
)
def turn_base_forgotten(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "The new b is computed from the new a. Keep the old pair until both of its new numbers are "
    "there."
)
def turn_second_row_reads_the_new_a(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        a = a * cos - b * sin
        return torch.cat([a, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    a = a * cos - b * sin
    return torch.stack([a, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "Your angles grow from pair to pair: the power of base divides. Pair 0 is the fastest, by "
    "1 radian per position."
)
def turn_angles_grow(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@turn.mistake(
    "Sine and cosine have changed places: at position 0 the angle is 0, and nothing may move."
)
def turn_sine_and_cosine_swapped(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(0, d, 2) / d)
    sin, cos = angles.cos(), angles.sin()
    if layout == "halves":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


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
