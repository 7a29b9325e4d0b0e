"""Unit 02, “The matrix that moves by k”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, compare
from helpers.checks.sinusoidal import common


def _shifted(k: int, width: int, **base: float) -> Case:
    """Move every row of a table by k with the answer's matrix: the result is what counts."""

    def ask(answer: Answer) -> Any:
        found = answer(k, width, **base)
        matrix = compare.as_tensor(found)
        if matrix is None or matrix.shape != (width, width):
            return found
        return encodings.sinusoidal_table(40, width, **base) @ matrix.T

    options = "".join(f", base={value:g}" for value in base.values())
    return Case(f"rows of a table times shift_matrix({k}, {width}{options})", ask)


def _forwards(rng: Random) -> Iterator[Case]:
    yield _shifted(1, common.even_width(rng))
    yield _shifted(rng.randint(2, 30), common.even_width(rng))


def _backwards(rng: Random) -> Iterator[Case]:
    yield _shifted(-rng.randint(1, 30), common.even_width(rng))


def _shift_base(rng: Random) -> Iterator[Case]:
    yield _shifted(rng.randint(1, 30), common.even_width(rng), base=common.random_base(rng))


shift = Exercise(
    "shift",
    encodings.shift_matrix,
    (
        Part("forwards", 1, _forwards),
        Part("backwards", 0.5, _backwards),
        Part("any other base", 0.5, _shift_base),
    ),
)


@shift.mistake(
    "This is M₋ₖ: it moves a row back by k. Check the signs against sin(a + b) = "
    "sin a·cos b + cos a·sin b, with the sine in the first row of each block."
)
def shift_rotates_backwards(k, d_model, base=10_000.0):
    w = k * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*[torch.tensor([[a.cos(), -a.sin()], [a.sin(), a.cos()]]) for a in w])


@shift.mistake("All your blocks turn by the same angle. Pair i turns by k·ω_i.")
def shift_one_frequency_for_all(k, d_model, base=10_000.0):
    a = torch.tensor(float(k))
    block = torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]])
    return torch.block_diag(*[block] * (d_model // 2))


@shift.mistake(
    "This matrix is right for a table with all sines first. Here a sine and its cosine are "
    "neighbours, so the rotations are 2×2 blocks along the diagonal."
)
def shift_for_concatenated_halves(k, d_model, base=10_000.0):
    w = k * base ** (-torch.arange(0, d_model, 2) / d_model)
    c, s = torch.diag(w.cos()), torch.diag(w.sin())
    return torch.cat([torch.cat([c, s], 1), torch.cat([-s, c], 1)])


@shift.mistake(
    "Your matrix is the same for k and −k. Turning back is turning by a negative angle.",
    loses="backwards",
)
def shift_of_the_distance_only(k, d_model, base=10_000.0):
    w = abs(k) * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*[torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]) for a in w])


@shift.mistake(
    "The argument base changes nothing in your matrix: a 10,000 is still written out.",
    loses="any other base",
)
def shift_base_forgotten(k, d_model, base=10_000.0):
    w = k * 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*[torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]) for a in w])
