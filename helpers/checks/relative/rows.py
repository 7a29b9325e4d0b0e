"""Unit 04, “Which vector does a pair use?”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch

from helpers.checks.dtypes import with_dtype
from helpers.checks.engine import KEPT, Answer, Case, Exercise, Part, call
from helpers.checks.relative import common
from helpers.encodings import offsets as library


def _rows_case(length: int, k: int) -> Case:
    return call(length, k).map(partial(with_dtype, dtypes=(torch.int64,)))


def _after_a_smaller_clip(length: int, k: int) -> Case:
    """Whoever keeps the offsets of a length, and clips them in place, has the smaller clip."""

    def ask(answer: Answer) -> Any:
        answer(length, 2)
        return answer(length, k)

    return Case(f"({length}, {k}), after ({length}, 2)", ask)


def _within(rng: Random) -> Iterator[Case]:
    length = rng.randint(5, 8)
    yield _rows_case(length, length + rng.randint(1, 4))
    yield _after_a_smaller_clip(length, length)
    yield _rows_case(length, length - 1)
    yield _rows_case(1, rng.randint(2, 9))
    yield _rows_case(1, 0)
    yield _rows_case(rng.randint(3, 5), rng.randint(2_050, 2_990))


def _beyond(rng: Random) -> Iterator[Case]:
    yield _rows_case(rng.randint(9, 14), rng.randint(2, 4))
    yield _rows_case(rng.randint(9, 14), 1)
    yield _rows_case(rng.randint(3, 6), 0)
    yield _rows_case(length := rng.randint(5, 8), length - 2)
    k = rng.randint(257, 300)  # beyond what a byte counts
    # A million numbers would take seconds to compare: every 111th row, the last among them.
    yield Case(f"every 111th row of (1000, {k})", lambda answer: answer(1_000, k)[::111])


rows = Exercise(
    "rows",
    common.offset_rows,
    (Part("offsets up to k", 1, _within), Part("offsets beyond k", 1, _beyond)),
    forbidden=(library.offset_matrix, library.clip),
    generic={"Each call returns a new tensor": KEPT},
    module=__name__,
)
