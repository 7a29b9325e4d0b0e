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
)


@rows.mistake(
    "You use i − j, as Transformer-XL does. Shaw's offset is j − i, key minus query: keys to "
    "the left of the query have negative offsets, so the rows grow from left to right.",
    breaks="entry $(i, j)$ is the row that query $i$ and key $j$",
)
def rows_of_i_minus_j(length, k):
    p = torch.arange(length)
    return (p[:, None] - p[None, :]).clamp(-k, k) + k


@rows.mistake(
    "Your rows are negative to the left of the query. Python would read those from the end of "
    "the table without an error; row 0 should be offset −k.",
    breaks="row 0 is offset $-k$",
)
def rows_not_moved_by_k(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k)


@rows.mistake(
    "You shift by k twice: your largest row is 3k, but the table ends at row 2k.",
    breaks="the last row is offset $k$",
)
def rows_moved_by_k_twice(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k) + 2 * k


@rows.mistake(
    "You shift by T − 1, which belongs to a table of all 2T − 1 offsets. This one has 2k + 1 "
    "rows whatever the length; where is offset 0 in it?",
    breaks=("$k$ may be larger than $T$, or 0", "Row of the table of 2k + 1 vectors"),
)
def rows_moved_by_the_length(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k) + length - 1


@rows.mistake(
    "Your rows leave the table in long texts: there is no row below 0 or above 2k. Clip first.",
    loses="offsets beyond k",
    breaks="$T$ may be any length",
)
def rows_not_clipped(length, k):
    p = torch.arange(length)
    return p[None, :] - p[:, None] + k


@rows.mistake("You clip one too early: offsets k and −k still have rows of their own, 2k and 0.")
def rows_clipped_one_too_early(length, k):
    p = torch.arange(length)
    inner = max(k - 1, 0)
    return (p[None, :] - p[:, None]).clamp(-inner, inner) + k


@rows.mistake(
    "The last row, 2k, is never used on the right: from −k to k there are 2k + 1 offsets. "
    "Unlike in range(), the upper end is included."
)
def rows_without_the_last(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k - 1) + k


@rows.mistake(
    "You shift first and clip to −k … k afterwards, so all offsets to the right get the same "
    "row. Once shifted, the rows run from 0 to 2k."
)
def rows_clipped_after_the_move(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None] + k).clamp(-k, k)


@rows.mistake("These are distances: left and right share a row. An offset has a direction.")
def rows_of_distances(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).abs().clamp(max=k)


@rows.mistake(
    "You take the absolute value, so the rows 0 … k − 1 are never used and left and right "
    "share their rows. An offset has a direction."
)
def rows_of_distances_in_the_middle(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).abs().clamp(max=k) + k


@rows.mistake(
    "Your rows begin at 1, so the last one is beyond the table. The first row is row 0.",
    breaks="`[[1, 2, 2], [0, 1, 2], [0, 0, 1]]`",
)
def rows_from_one(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k) + k + 1


@rows.mistake(
    "Far pairs all get row 0, also those far to the right. Each side has an outermost row of "
    "its own.",
    loses="offsets beyond k",
)
def rows_of_far_pairs_zero(length, k):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    return torch.where(offsets.abs() <= k, offsets + k, 0)


@rows.mistake(
    "Far pairs get no row. Clipping does not leave them out: they share the outermost row of "
    "their side.",
    loses="offsets beyond k",
)
def rows_far_left_out(length, k):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    return torch.where(offsets.abs() <= k, offsets + k, -1)


@rows.mistake(
    "Beyond k your rows start again at the other end, so a key far to the right looks like one "
    "on the left. Clip instead: all of them share the outermost row.",
    loses="offsets beyond k",
)
def rows_that_wrap_around(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None] + k) % (2 * k + 1)


@rows.mistake(
    "Your rows go beyond 2k on the right: there is no such row. Clip at both ends.",
    loses="offsets beyond k",
)
def rows_clipped_on_the_left_alone(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(min=-k) + k


@rows.mistake(
    "Your rows go below 0 on the left, where Python reads from the end of the table. Clip at both "
    "ends.",
    loses="offsets beyond k",
)
def rows_clipped_on_the_right_alone(length, k):
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(max=k) + k


@rows.mistake(
    "You clip at T − 1 where the text is shorter than k, and shift by that. The table has 2k + 1 "
    "rows whatever the length, and offset 0 is row k.",
    loses="offsets up to k",
    breaks="$k$ may be larger than $T$, or 0",
)
def rows_of_a_table_that_fits_the_text(length, k):
    k = min(k, length - 1)
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k) + k


@rows.mistake(
    "You count positions up to k, which is the clip. The text has `length` tokens.",
    breaks="It returns a $(T, T)$ tensor",
)
def rows_as_many_as_the_clip(length, k):
    p = torch.arange(k)
    return (p[None, :] - p[:, None]).clamp(-k, k) + k
