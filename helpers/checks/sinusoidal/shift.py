"""Unit 02, “The matrix that moves by k”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from helpers import encodings
from helpers.checks.engine import KEPT, Answer, Case, Exercise, Part, call
from helpers.checks.sinusoidal import common


# The cases compare matrices: only one is right at every p. In the rows of a short table the slow
# hands hardly turn, so many other matrices would seem right.
def _forwards(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(1, second)
    yield call(rng.randint(2, 8), first)
    yield call(rng.randint(2, 30), 2)
    yield call(common.long_length(rng), 4)


def _backwards(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(0, second)
    yield call(-rng.randint(1, 8), first)
    yield Case("the dtype for k=0", _dtype)


def _dtype(answer: Answer) -> dict[str, Any]:
    dtype = str(getattr(answer(0, 6), "dtype", None)).removeprefix("torch.")
    return {"the numbers for k=0 are float32 or float64": dtype in ("float32", "float64")}


def _other_base(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(rng.randint(1, 30), first, base=common.large_base(rng))
    yield call(-rng.randint(1, 30), second, base=common.small_base(rng))


shift = Exercise(
    "shift",
    encodings.shift_matrix,
    (
        Part("forwards", 1, _forwards),
        Part("backwards, or not at all", 0.5, _backwards),
        Part("any other base", 0.5, _other_base),
    ),
    forbidden=(encodings.Rotary, encodings.Pope),
    explains=("$D$ is even", "`d_model` is even"),
    generic={"Each call returns a new matrix": KEPT},
    module=__name__,
)
