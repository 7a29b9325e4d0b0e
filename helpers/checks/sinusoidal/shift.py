"""Unit 02, “The matrix that moves by k”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, rehearsed
from helpers.checks.engine.faults import KEPT
from helpers.checks.sinusoidal import common


# The cases compare matrices: only one is right at every p. In the rows of a short table the slow
# hands hardly turn, so many other matrices would seem right.
def _forwards(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(1, second)
    yield call(rng.randint(2, 8), first)
    yield call(rng.randint(100, 300), first + 300)
    yield call(rng.randint(2, 30), 2)
    yield call(rng.randint(2, 8), common.uneven_steps(rng))
    # Further than any text. D is small, so that the angles of float32 are within the tolerance.
    yield call(rng.randint(1_100, 3_000), 4)
    yield call(rng.randint(6_000, 90_000), 2)  # here no angle is rounded
    yield Case("a thousand times (1, 6)[4, 5], the last sine", _last_sine)


def _last_sine(answer: Answer) -> Any:
    return answer(1, 6)[4:5, 5] * 1000


def _backwards(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(-rng.randint(1, 8), second)
    yield call(-rng.randint(30, 90), first)
    yield call(-rng.randint(1_100, 3_000), 4)
    yield call(0, second)
    yield rehearsed(call(0, first))  # as an identity that is kept
    yield from map(_numbers, (0, -rng.randint(1, 8)))


def _numbers(k: int) -> Case:
    def ask(answer: Answer) -> dict[str, bool]:
        dtype = str(getattr(answer(k, 6), "dtype", None)).removeprefix("torch.")
        return {f"the numbers for k={k} are float32 or float64": dtype in ("float32", "float64")}

    return Case(f"({k}, 6)", ask)


def _shift_base(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    k = rng.randint(1, 30)
    # The other base first, in a width that no case had before: a matrix that is kept for its width
    # only is told from one that leaves the base out.
    yield call(k, first + 16, base=common.large_base(rng))
    yield call(k, first + 16)
    yield call(rng.randint(31, 90), second, base=common.small_base(rng))
    yield call(-k, first, base=round(common.large_base(rng)))  # a whole number
    yield call(-rng.randint(31, 90), second, base=common.small_base(rng))
    yield call(k, second, base=common.base_near_one(rng))
    yield call(k, second, base=common.huge_base(rng))


shift = Exercise(
    "shift",
    encodings.shift_matrix,
    (
        Part("forwards", 1, _forwards),
        Part("backwards, or not at all", 0.5, _backwards),
        Part("any other base", 0.5, _shift_base),
    ),
    forbidden=(encodings.Rotary, encodings.Pope),
    explains=("$D$ is even", "`d_model` is even"),
    generic={
        "Each call returns a new matrix": KEPT,
    },
    module=__name__,
)
