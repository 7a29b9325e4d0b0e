"""Unit 05, “Turn every pair”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

from torch import Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.after_bert import common
from helpers.checks.engine import Case, Exercise, Part, call, differentiated, digits
from helpers.checks.engine.hints import DTYPE, IN_PLACE, NO_GRADIENT


def _shapes(rng: Random) -> Iterator[Tensor]:
    """Draw T beyond d and below it, odd and even numbers of pairs, and 1 of each size."""
    yield common.random_heads(rng)
    yield draws.normal(rng, 3, 2, rng.choice((12, 14)), 6)
    yield draws.normal(rng, 1, 5, rng.randint(3, 4), 2)
    yield draws.normal(rng, 2, 1, 1, 6)
    yield draws.normal(rng, 2, 1, rng.randint(5, 9), rng.choice((128, 160)))


def _neighbours(rng: Random) -> Iterator[Case]:
    yield from map(call, _shapes(rng))
    # Narrow, so that all angles are exact enough in float32.
    yield call(draws.normal(rng, 1, 1, rng.randint(8200, 8250), 4))
    yield call(common.transposed(common.random_heads(rng))).with_words(", a transposed view")


def _other_base(rng: Random) -> Iterator[Case]:
    x = common.random_heads(rng)
    for base in (10 ** rng.uniform(1.5, 3), rng.uniform(1.1, 1.4), 10 ** rng.uniform(6.5, 8)):
        yield call(x, base=base)
    yield call(x, base=rng.randint(2, 90))
    yield call(x, base=rng.randint(2, 10) * 100_000)
    for other in _shapes(rng):
        yield call(other, base=10 ** rng.uniform(1.5, 3))


def _layouts(rng: Random) -> Iterator[Case]:
    x = common.random_heads(rng)
    yield call(x, layout="halves")
    yield call(x, layout="interleaved")
    yield call(x, base=10 ** rng.uniform(2, 3), layout="halves")
    for other in _shapes(rng):
        yield call(other, layout="halves")
    for layout in ("halves", "interleaved"):
        yield call(common.transposed(x), layout=layout).with_words(", a transposed view")


def _backwards(rng: Random) -> Iterator[Case]:
    x = common.random_heads(rng)
    yield differentiated(in_bfloat16=False, x=x)
    yield digits("(x)", x)
    for case in (
        digits("(x) with layout='halves'", x),
        common.derivative(f"(x of shape {tuple(x.shape)}, layout='halves')", x),
    ):
        yield case.of(lambda answer: partial(answer, layout="halves"))


turn = Exercise(
    "turn",
    common.turned,
    (
        Part("pairs of neighbouring columns", 1, _neighbours),
        Part("any other base", 0.5, _other_base),
        Part("both layouts", 0.5, _layouts),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(encodings.Rotary, encodings.XPos, encodings.Pope),
    explains=("(Meta's own code for Llama",),
    generic={
        "$x$ itself stays as it is": IN_PLACE,
        "The result has the dtype of $x$": DTYPE,
        "Gradients must reach $x$": NO_GRADIENT,
    },
    module=__name__,
)
