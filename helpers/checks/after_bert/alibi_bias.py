"""Unit 05, “The bias in three forms”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.after_bert import common
from helpers.checks.engine import DTYPE, Answer, Case, Exercise, Part, call, compare, differentiated

CAUSAL, SYMMETRIC, DIRECTIONAL = "causal", "symmetric", "directional"
LONG = 300  # positions; neither eight bits nor bfloat16 count so far


def _alibi_bias(slopes: Tensor, length: int, form: str = "causal") -> Tensor:
    """Return what ALiBi adds to the scaled scores, (H, T, T)."""
    each = torch.arange(length)
    offsets = each[None, :] - each[:, None]
    fall = offsets.abs()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, -math.inf) if form == "causal" else bias


def _slopes(rng: Random, heads: int, flat: bool = False) -> Tensor:
    """Draw slopes in no order, not those of the paper; the last of them is 0 if `flat`."""
    drawn = [round(rng.uniform(0.1, 1.1), 3) for _ in range(heads)]
    return torch.tensor([*drawn[:-1], 0.0] if flat else drawn)


def _of_form(form: str, rng: Random) -> Iterator[Case]:
    length = rng.choice((6, 8))
    yield call(_slopes(rng, rng.randint(3, 4)), length, form=form)
    yield call(_slopes(rng, rng.randint(9, 12)), rng.randint(3, 4), form=form)
    yield call(_slopes(rng, 3, flat=True), length, form=form).with_words(" with a slope of 0")
    yield call(1 + _slopes(rng, 1), LONG, form=form).map(_three_rows)
    yield call(_slopes(rng, rng.randint(2, 3)), 1, form=form)


def _three_rows(bias: Any) -> Any:
    """Keep the first, the middle and the last query: all of them take too long to send."""
    if type(bias) is not Tensor:
        return compare.no_plain_tensor(bias)
    shape = {"its shape": list(bias.shape)}
    if bias.shape[-2:] != (LONG, LONG):
        return shape
    return shape | {"three rows": bias[..., [0, LONG // 2, LONG - 1], :]}


def _causal(rng: Random) -> Iterator[Case]:
    yield from _of_form(CAUSAL, rng)
    yield call(_slopes(rng, 3), rng.randint(5, 8))  # the default


def _backwards(rng: Random) -> Iterator[Case]:
    slopes, length = _slopes(rng, rng.randint(2, 4)), rng.randint(5, 8)
    yield differentiated(in_bfloat16=False, slopes=slopes, length=length, form=SYMMETRIC)
    for form in (CAUSAL, SYMMETRIC, DIRECTIONAL):
        flat = _slopes(rng, 3, flat=True)
        label = f"(slopes {[round(each, 3) for each in flat.tolist()]}, {length}, {form=})"
        yield common.derivative(label, flat).of(partial(_of_slopes, length, form))


def _of_slopes(length: int, form: str, answer: Answer) -> Answer:
    return lambda slopes: answer(slopes, length, form=form)


alibi_bias = Exercise(
    "alibi_bias",
    _alibi_bias,
    (
        Part(CAUSAL, 0.5, _causal),
        Part(SYMMETRIC, 0.25, partial(_of_form, SYMMETRIC)),
        Part(DIRECTIONAL, 0.5, partial(_of_form, DIRECTIONAL)),
        Part("dtype and gradients", 0.25, _backwards),
    ),
    forbidden=(encodings.Alibi, encodings.Kerple),
    explains=(
        "It takes slopes of shape",
        '`form="causal"`:',
        '`form="symmetric"`:',
        "the course's own",
    ),
    generic={"The result has the dtype of the slopes": DTYPE},
    module=__name__,
)
