"""Unit 05, “The bias in three forms”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks.after_bert import common, gradients
from helpers.checks.engine import Answer, Case, Exercise, Part, call, differentiated

CAUSAL, SYMMETRIC, DIRECTIONAL = "causal", "symmetric", "directional"
BACKWARDS = "dtype and gradients"


def _alibi_bias(slopes: Tensor, length: int, form: str = "causal") -> Tensor:
    """What ALiBi adds to the scaled scores, (H, T, T)."""
    each = torch.arange(length)
    offsets = each[None, :] - each[:, None]
    fall = offsets.abs()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, -math.inf) if form == "causal" else bias


def _slopes(rng: Random, heads: int) -> Tensor:
    """In no order, not those of the paper."""
    drawn = torch.rand(heads, generator=Generator().manual_seed(rng.randrange(2**31)))
    return (drawn * 1000).round() / 1000 + 0.1


def _one_flat(rng: Random, slopes: Tensor) -> Tensor:
    """The same with a slope of 0; a copy, as cases drawn before hold these slopes."""
    flat = slopes.clone()
    flat[rng.randrange(len(flat))] = 0.0
    return flat


def _bias_of_form(form: str) -> Callable[[Random], Iterator[Case]]:
    def cases(rng: Random) -> Iterator[Case]:
        slopes, length = _slopes(rng, rng.randint(3, 4)), rng.choice((6, 8))
        yield call(slopes, length, form=form)
        yield call(slopes.flip(0), length, form=form)  # the same shapes once more
        yield call(_slopes(rng, rng.randint(9, 12)), rng.randint(3, 4), form=form)
        yield call(_slopes(rng, 2), rng.choice((5, 7)), form=form)
        yield _long(1 + _slopes(rng, 1), rng.randint(590, 600), form)
        yield call(_slopes(rng, rng.randint(20, 40)), 2, form=form)
        asked = call(_one_flat(rng, slopes), length, form=form)
        yield Case(f"{asked.label} with a slope of 0", asked.ask)
        yield call(_slopes(rng, rng.randint(2, 3)), 1, form=form)

    return cases


def _long(slopes: Tensor, length: int, form: str) -> Case:
    """The first, the middle and the last query of a long text."""
    asked = call(slopes, length, form=form)

    def ask(answer: Answer) -> Any:
        found = asked.ask(answer)
        if type(found) is not Tensor or found.shape != (len(slopes), length, length):
            return found if type(found) is not Tensor else {"its shape": list(found.shape)}
        shape = list(found.shape)
        return {"its shape": shape, "three rows": found[:, [0, length // 2, length - 1]]}

    return Case(asked.label, ask)


def _causal(rng: Random) -> Iterator[Case]:
    yield from _bias_of_form("causal")(rng)
    yield call(_slopes(rng, 3), rng.randint(5, 8))  # the default


def _backwards(rng: Random) -> Iterator[Case]:
    slopes, length = _slopes(rng, rng.randint(2, 4)), rng.randint(5, 8)
    yield differentiated(in_bfloat16=False, slopes=slopes, length=length, form="symmetric")
    yield differentiated(in_bfloat16=False, slopes=slopes, length=1, form="symmetric")
    label = f"(slopes {_shown(slopes)}, {length}, form='directional')"
    yield common.derivative(label, slopes, lambda answer: partial(_directional, answer, length))
    gentle = (slopes * 250).round() / 1000  # with steep ones no weight is left for the first keys
    label = f"softmax of the bias for slopes {_shown(gentle)}, T={length}, form='causal',"
    yield common.derivative(label, gentle, lambda answer: partial(_weights, answer, length), 0.005)
    words = f"(slopes {_shown(gentle)}, 70, form='causal') in float64"
    yield gradients.of_each_slope(words, gentle, partial(_partly, _finite, 70, "causal"))
    gentle = _one_flat(rng, gentle)
    for form in ("causal", "symmetric", "directional"):
        words = f"(slopes {_shown(gentle)}, {length}, {form=}) in float64"
        yield gradients.of_each_slope(words, gentle, partial(_partly, _finite, length, form))
        words = f"softmax of the bias for slopes {_shown(gentle)}, T={length}, {form=}"
        yield gradients.nan_of_slopes(words, gentle, partial(_partly, _weights, length, form))


def _shown(slopes: Tensor) -> str:
    return f"[{', '.join(f'{slope:g}' for slope in slopes.tolist())}]"


def _partly(
    of: Callable[[Answer, int, Tensor, str], Any], length: int, form: str, answer: Answer
) -> Callable[[Tensor], Any]:
    return lambda slopes: of(answer, length, slopes, form)


def _directional(answer: Answer, length: int, slopes: Tensor) -> Any:
    return answer(slopes, length, form="directional")


def _finite(answer: Answer, length: int, slopes: Tensor, form: str) -> Any:
    bias = answer(slopes, length, form=form)
    return torch.where(bias.isinf(), 0, bias) if type(bias) is Tensor else bias


def _weights(answer: Answer, length: int, slopes: Tensor, form: str = "causal") -> Any:
    """The weights by the bias alone, but for the first query, to which none may be left."""
    bias = answer(slopes, length, form=form)
    return bias[:, 1:].softmax(-1) if type(bias) is Tensor else bias


alibi_bias = Exercise(
    "alibi_bias",
    _alibi_bias,
    (
        Part(CAUSAL, 0.5, _causal),
        Part(SYMMETRIC, 0.25, _bias_of_form("symmetric")),
        Part(DIRECTIONAL, 0.5, _bias_of_form("directional")),
        Part(BACKWARDS, 0.25, _backwards),
    ),
    forbidden=(encodings.Alibi, encodings.Kerple),
    explains=(
        "Write `alibi_bias`.",
        "It takes slopes of shape",
        '`form="causal"`:',
        '`form="symmetric"`:',
        "the course's own",
    ),
    module=__name__,
)
