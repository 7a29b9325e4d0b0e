"""Unit 05, “Turn every pair”: what it asks, and what people write instead.

Wrong pairs are here; wrong angles, and what goes wrong beside, are in `turn_angles`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from torch import Tensor

from helpers import encodings
from helpers.checks.after_bert import common
from helpers.checks.engine import Answer, Case, Exercise, Part, call, differentiated, digits
from helpers.checks.engine.faults import DTYPE, NO_GRADIENT

NEIGHBOURS, BASE = "pairs of neighbouring columns", "any other base"
LAYOUTS, BACKWARDS = "both layouts", "dtype and gradients"


def _other_shapes(rng: Random) -> Iterator[Tensor]:
    """T beyond d and below it, odd and even numbers of pairs, and 1 of each size."""
    yield common.normal_numbers(rng, 3, 2, rng.choice((12, 14)), 6)
    yield common.normal_numbers(rng, 4, 1, 5, 12)
    yield common.normal_numbers(rng, 1, 5, rng.randint(3, 4), 2)
    yield common.normal_numbers(rng, 2, 1, 1, 6)
    yield 0.3 * common.normal_numbers(rng, 1, 2, rng.randint(135, 150), 4)
    yield from _wide(rng)


def _wide(rng: Random) -> Iterator[Tensor]:
    """More pairs and heads than a small test has, and another length."""
    yield common.normal_numbers(rng, 1, 2, rng.randint(5, 9), 64)
    yield common.normal_numbers(rng, 2, 1, rng.randint(5, 9), rng.choice((128, 160)))
    yield common.normal_numbers(rng, 1, rng.randint(9, 16), 3, 4)


def _long(rng: Random, least: int) -> Tensor:
    """Narrow, so that all angles are exact enough in float32."""
    return common.normal_numbers(rng, 1, 1, rng.randint(least, least + 50), 4)


def _neighbours(rng: Random) -> Iterator[Case]:
    x = common.random_heads(rng)
    yield call(x)
    yield call(x.flip(2))  # the same shape once more
    yield from map(call, _other_shapes(rng))
    yield call(_long(rng, 8200))
    yield call(0.3 * common.normal_numbers(rng, 1, 1, rng.randint(20_500, 21_000), 2))
    asked = call(common.views(x))
    yield asked.labelled(f"{asked.label}, not contiguous")
    asked = call(common.columns_apart(x))
    yield asked.labelled(f"{asked.label}, the .mT of another tensor")


def _turn_base(rng: Random) -> Iterator[Case]:
    x = common.random_heads(rng)
    yield call(x, base=10 ** rng.uniform(1.5, 3))
    yield call(x, base=rng.randint(2, 9) + rng.uniform(0.3, 0.7))
    yield call(x, base=10 ** rng.uniform(4.5, 5))
    yield call(x, base=10 ** rng.uniform(5.3, 6))
    yield call(x, base=rng.randint(2, 90))
    yield call(x, base=rng.randint(2, 10) * 100_000)
    yield call(_long(rng, 1100), base=10 ** rng.uniform(4.3, 5))
    yield call(x, base=10 ** rng.uniform(6.5, 8))
    near = 1 + rng.randint(1, 4) / 10 + rng.uniform(0.01, 0.02)
    for base in (near, near + 0.02, rng.uniform(1.6, 1.9)):  # the first two round to the same
        yield call(x, base=base)
    for other in _other_shapes(rng):
        yield call(other, base=10 ** rng.uniform(1.5, 3))


def _halves(rng: Random) -> Iterator[Case]:
    x = common.random_heads(rng)
    yield call(x, layout="halves")
    yield call(x, layout="interleaved")
    yield call(x, base=10 ** rng.uniform(2, 3), layout="halves")
    for other in _other_shapes(rng):
        yield call(other, layout="halves")
    yield call(_long(rng, 1100), layout="halves")
    asked = call(common.views(x), layout="halves")
    yield asked.labelled(f"{asked.label}, not contiguous")
    for layout in ("halves", "interleaved"):
        asked = call(common.columns_apart(x), layout=layout)
        yield asked.labelled(f"{asked.label}, the .mT of another tensor")


def _backwards(rng: Random) -> Iterator[Case]:
    x = common.random_heads(rng)
    yield differentiated(in_bfloat16=False, x=x)
    base = round(10 ** rng.uniform(2, 3))
    for words, options in (
        ("layout='halves'", {"layout": "halves"}),
        (f"base={base}", {"base": base}),
        (f"base={base}, layout='halves'", {"base": base, "layout": "halves"}),
    ):
        label = f"(x of shape {tuple(x.shape)}, {words})"
        yield common.derivative(label, x, partial(_with, options))
    long = _long(rng, 130)
    yield common.derivative(f"(x of shape {tuple(long.shape)})", long, partial(_with, {}))
    yield digits("(x)", x)
    yield digits("(x) with layout='halves'", x, of=partial(_with, {"layout": "halves"}))


def _with(options: dict[str, Any], answer: Answer) -> Answer:
    return partial(answer, **options)


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
        Part(NEIGHBOURS, 1, _neighbours),
        Part(BASE, 0.5, _turn_base),
        Part(LAYOUTS, 0.5, _halves),
        Part(BACKWARDS, 0.5, _backwards),
    ),
    forbidden=(encodings.Rotary, encodings.XPos, encodings.Pope, *_elsewhere()),
    explains=("Write `turn`.", "(Meta's own code for Llama"),
    generic={
        "The result has the dtype of $x$": DTYPE,
        "Gradients must reach $x$": NO_GRADIENT,
    },
    module=__name__,
)
