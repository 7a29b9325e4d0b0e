"""Unit 04, relative encoding: what its eight exercises ask and look at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks import compare
from helpers.checks.exercise import Answer, Case, Exercise, Part, call
from helpers.checks.mistakes import relative as mistakes
from helpers.checks.relative_terms import (
    Meter,
    by_any_row,
    by_offset,
    frugal,
    key_term_batched,
    key_term_by_gather,
    key_term_by_pair,
    largest_tensor,
    offset_rows,
    random_numbers,
    value_term,
)
from helpers.encodings import forms
from helpers.encodings import offsets as library

__all__ = [
    "batched",
    "gather",
    "largest_tensor",
    "memory",
    "module",
    "pairs",
    "rows",
    "skew",
    "values",
]

INDEXING = {"gather", "index", "index_select", "take"}
MODULES = (encodings.Shaw, encodings.ShawKeys, encodings.Huang, encodings.TreeOffsets)
PER_PAIR = ("per pair", "batched")
TERMS: tuple[Answer, ...] = (*forms.FORMS.values(), forms.flex)


def _within(rng: Random) -> Iterator[Case]:
    length = rng.randint(5, 8)
    yield call(length, length + rng.randint(1, 4))
    yield call(length, length - 1)


def _beyond(rng: Random) -> Iterator[Case]:
    yield call(rng.randint(9, 14), rng.randint(2, 4))
    yield call(rng.randint(9, 14), 1)
    yield call(rng.randint(3, 6), 0)


rows = Exercise(
    "rows",
    offset_rows,
    (Part("offsets up to k", 1, _within), Part("offsets beyond k", 1, _beyond)),
    mistakes.ROWS,
    forbidden=(library.offset_matrix, library.clip),
)


pairs = Exercise(
    "pairs",
    key_term_by_pair,
    (
        Part("rows by offset", 1, partial(by_offset, name="q")),
        Part("any row for any pair", 0.5, partial(by_any_row, name="q")),
    ),
    mistakes.PAIRS,
    forbidden=TERMS,
)

batched = Exercise(
    "batched",
    key_term_batched,
    (
        Part("the same numbers", 1, partial(by_any_row, name="q")),
        Part("no copies for sentences and heads", 1, partial(frugal, name="q", batched=True)),
    ),
    mistakes.BATCHED,
    forbidden=TERMS,
)

gather = Exercise(
    "gather",
    key_term_by_gather,
    (
        Part("the same numbers", 1, partial(by_any_row, name="q")),
        Part("no vector for each pair", 1, partial(frugal, name="q")),
    ),
    mistakes.GATHER,
    forbidden=(*TERMS, library.skew, library.skew_padded),
)


def _numbers_held(B: int, H: int, T: int, d: int, k: int) -> dict[str, int]:  # noqa: N803
    """How many numbers each form of the key term holds, what is learned, and the scores."""
    return {
        "per pair": B * H * T * T * d,
        "batched": T * T * d,
        "gather": B * H * T * (2 * k + 1),
        "table": (2 * k + 1) * d,
        "scores": B * H * T * T,
    }


def _counted(rng: Random, names: tuple[str, ...]) -> Iterator[Case]:
    heads, width, length = rng.choice((2, 4)), rng.choice((8, 16)), rng.randint(20, 60)
    sizes = {"B": rng.choice((3, 5)), "H": heads, "T": length, "d": width, "k": rng.randint(5, 7)}

    def ask(answer: Answer, name: str) -> Any:
        found = answer(**sizes)[name]
        tensor = compare.as_tensor(np.asarray(found) if isinstance(found, np.number) else found)
        if tensor is not None and tensor.numel() == 1:
            found = tensor.item()
        return int(found) if isinstance(found, float) and found.is_integer() else found

    for name in names:
        words = ", ".join(f"{key}={value}" for key, value in sizes.items())
        yield Case(f'({words})["{name}"]', partial(ask, name=name))


memory = Exercise(
    "memory",
    _numbers_held,
    (
        Part("the forms with a vector for each pair", 0.5, partial(_counted, names=PER_PAIR)),
        Part("the form with a product for each vector", 0.5, partial(_counted, names=("gather",))),
        Part("what is learned, and the scores", 0.5, partial(_counted, names=("table", "scores"))),
    ),
    mistakes.MEMORY,
)


def _skew_case(products: Tensor) -> Case:
    return Case(
        f"(products of shape {tuple(products.shape)})", lambda answer: answer(products.clone())
    )


def _four_axes(rng: Random) -> Iterator[Case]:
    for length in (rng.randint(4, 6), rng.randint(7, 9)):
        yield _skew_case(random_numbers(rng, 2, 3, length, 2 * length - 1))


def _other_axes(rng: Random) -> Iterator[Case]:
    length = rng.randint(4, 7)
    yield _skew_case(random_numbers(rng, length, 2 * length - 1))
    yield _skew_case(random_numbers(rng, 3, length, 2 * length - 1))


def _without_index(rng: Random) -> Iterator[Case]:
    length = rng.randint(4, 7)
    products = random_numbers(rng, 2, 3, length, 2 * length - 1)

    def ask(answer: Answer) -> dict[str, Any]:
        with Meter() as meter:
            term = answer(products.clone())
        return {"the numbers": term, "nothing is read by index": not meter.operations & INDEXING}

    yield Case(f"(products of shape {tuple(products.shape)})", ask)


skew = Exercise(
    "skew",
    library.skew,
    (
        Part("key j at offset j − i", 1, _four_axes),
        Part("any axes in front", 0.5, _other_axes),
        Part("without an index", 0.5, _without_index),
    ),
    mistakes.SKEW,
    forbidden=(library.skew_padded, library.toeplitz, encodings.Huang, *TERMS),
)


values = Exercise(
    "values",
    value_term,
    (
        Part("rows by offset", 1, partial(by_offset, name="weights")),
        Part("any row for any pair", 0.5, partial(by_any_row, name="weights")),
        Part("no vector for each pair", 0.5, partial(frugal, name="weights")),
    ),
    mistakes.VALUES,
    forbidden=MODULES,
)


def _built(answer: Answer, numbers: dict[str, Tensor]) -> Any:
    """The module for D = 20 and k = 3, with known vectors in its tables."""
    heads = 20 // next(iter(numbers.values())).shape[1]
    module = answer(d_model=20, num_heads=heads, max_len=12, k=3)
    for name, table in numbers.items():
        getattr(module, name).data.copy_(table)
    return module


def _hook_case(rng: Random, name: str, length: int, words: str, offsets: Tensor | None) -> Case:
    """`scores` or `context` of the module, its table filled with the numbers drawn here."""
    heads = rng.choice((2, 4))
    width = 20 // heads
    q, k = (
        random_numbers(rng, 3, heads, length, width),
        random_numbers(rng, 3, heads, length, width),
    )
    weights = random_numbers(rng, 3, heads, length, length).softmax(-1)
    table = random_numbers(rng, 7, width)

    def ask(answer: Answer) -> Any:
        if name == "scores":
            return _built(answer, {"keys": table}).scores(q.clone(), k.clone(), offsets)
        return _built(answer, {"values": table}).context(weights.clone(), offsets)

    return Case(f"{name} with k=3, B=3, H={heads}, T={length}{words}", ask)


def _hook(rng: Random, name: str) -> Iterator[Case]:
    yield _hook_case(rng, name, rng.randint(7, 9), "", None)
    yield _hook_case(rng, name, rng.randint(14, 16), ", which is beyond max_len=12", None)


def _given(rng: Random) -> Iterator[Case]:
    length = rng.randint(6, 8)
    draw = Generator().manual_seed(rng.randrange(2**31))
    trees = torch.randint(-6, 7, (3, length, length), generator=draw)
    for name in ("scores", "context"):
        yield _hook_case(rng, name, length, ", offsets of shape (T, T)", trees[0])
        yield _hook_case(rng, name, length, ", offsets of shape (B, T, T)", trees)


def _tables(rng: Random) -> Iterator[Case]:
    heads, k = rng.choice((2, 4)), rng.randint(3, 6)

    def ask(answer: Answer) -> dict[str, bool]:
        module = answer(d_model=20, num_heads=heads, max_len=12, k=k)
        seen = {
            "it is an Encoding that knows its heads": isinstance(module, encodings.Encoding)
            and getattr(module, "num_heads", 0) == heads
        }
        parameters = dict(module.named_parameters(remove_duplicate=False))
        for name in ("keys", "values"):
            seen[f"{name} moves with the module"] = name in module.state_dict()
            seen[f"{name} is a Parameter"] = name in parameters
            shape = tuple(getattr(module, name).shape)
            seen[f"{name} has the shape ({2 * k + 1}, {20 // heads})"] = shape == (
                2 * k + 1,
                20 // heads,
            )
        seen["keys and values are two tables"] = module.keys is not module.values
        wide = answer(d_model=256, num_heads=4, max_len=12, k=32)  # numbers enough to measure
        for name in ("keys", "values"):
            size = getattr(wide, name).std().item() * 64**0.5
            seen[f"{name} begins with a standard deviation of 1/√d"] = 0.8 < size < 1.25
        return seen

    yield Case(f"the tables with k={k}, D=20, H={heads}", ask)


module = Exercise(
    "module",
    encodings.Shaw,
    (
        Part("scores: q_i · w^K by offset", 1, partial(_hook, name="scores")),
        Part("context: Σ α_ij w^V by offset", 1, partial(_hook, name="context")),
        Part("offsets that are given", 0.5, _given),
        Part("two tables to be trained", 0.5, _tables),
    ),
    mistakes.MODULE,
    forbidden=(*MODULES, *TERMS),
)
