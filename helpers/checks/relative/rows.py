"""Unit 04, “Which vector does a pair use?”: what it asks, and what people write instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from random import Random
from typing import Any

import torch

from helpers.checks.engine import Answer, Case, Exercise, Part, call
from helpers.checks.engine.faults import KEPT
from helpers.checks.relative import common
from helpers.encodings import offsets as library


def _rows_case(length: int, k: int) -> Case:
    """The rows, the type of what holds them, and their dtype."""
    case = call(length, k)

    def ask(answer: Answer) -> Any:
        found = case.ask(answer)
        dtype = getattr(found, "dtype", None)
        if dtype is None:
            return found
        kind = "NumPy array" if type(found).__module__ == "numpy" else type(found).__name__
        words = str(dtype).removeprefix("torch.")
        return {"the rows": found, "the type of the result": kind, "their dtype": words}

    return case.asking(ask)


def _again_case(length: int, k: int) -> Case:
    """A caller may write into what it is given; the next one is given rows of its own."""

    def ask(answer: Answer) -> Any:
        found = answer(length, k)
        if isinstance(found, torch.Tensor):
            with contextlib.suppress(RuntimeError):  # several rows may share their memory
                found.zero_()
        return answer(length, k)

    return Case(f"({length}, {k}), once more after a caller has written into the first rows", ask)


def _after_a_smaller_clip(length: int, k: int) -> Case:
    """Whoever keeps the offsets of a length, and clips them in place, has the smaller clip."""

    def ask(answer: Answer) -> Any:
        answer(length, 2)
        return answer(length, k)

    return Case(f"({length}, {k}), after ({length}, 2)", ask)


def _long_case(length: int, k: int) -> Case:
    """Some of the rows, the first and the last among them, and the shape of all."""

    def ask(answer: Answer) -> Any:
        found = answer(length, k)
        if not isinstance(found, torch.Tensor):
            return type(found).__name__  # a million numbers in lists would take seconds to read
        shape = list(found.shape)
        return {"the shape": shape, "every 111th row": found[::111] if found.dim() else found}

    return Case(f"({length}, {k})", ask)


def _of_many_rows(length: int, k: int) -> Case:
    """Beyond what int16 counts. Whoever takes k for the length is told so by a small one."""
    case = _rows_case(length, k)

    def ask(answer: Answer) -> Any:
        small = answer(length, 2 * length)
        if list(getattr(small, "shape", ())) != [length, length]:
            return small
        return case.ask(answer)

    return case.asking(ask)


def _within(rng: Random) -> Iterator[Case]:
    length = rng.randint(5, 8)
    yield _rows_case(length, length + rng.randint(1, 4))
    yield _again_case(length, length)
    yield _after_a_smaller_clip(length, length)
    yield _rows_case(length, length - 1)
    yield _rows_case(length + 1, length + 1)
    yield _rows_case(rng.randint(2, 3), rng.randint(30, 200))
    yield _rows_case(1, rng.randint(2, 9))
    yield _rows_case(1, 0)
    yield _rows_case(rng.randint(3, 5), rng.randint(2_050, 2_990))  # float16 has gaps here
    yield _of_many_rows(rng.randint(2, 3), rng.randint(33_000, 33_500))
    yield _long_case(rng.randint(290, 310), rng.randint(320, 900))


def _beyond(rng: Random) -> Iterator[Case]:
    yield _rows_case(rng.randint(9, 14), rng.randint(2, 4))
    yield _again_case(rng.randint(9, 14), 2)
    yield _rows_case(rng.randint(9, 14), 1)
    yield _rows_case(rng.randint(3, 6), 0)
    length = rng.randint(5, 8)
    yield _rows_case(length, length - 2)
    yield _long_case(rng.randint(260, 290), rng.randint(130, 250))
    yield _long_case(1_000, rng.randint(257, 300))


rows = Exercise(
    "rows",
    common.offset_rows,
    (Part("offsets up to k", 1, _within), Part("offsets beyond k", 1, _beyond)),
    forbidden=(library.offset_matrix, library.clip),
    explains=("`offset_rows`.",),
    generic={
        "Each call returns a new tensor": KEPT,
    },
    module=__name__,
)
