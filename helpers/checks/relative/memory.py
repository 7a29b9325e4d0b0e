"""Unit 04, “What does each form hold?”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

import numpy as np

from helpers.checks.engine import Answer, Case, Exercise, Part, compare

PER_PAIR = ("per pair", "batched")


def _numbers_held(B: int, H: int, T: int, d: int, k: int) -> dict[str, int]:
    """How many numbers each form of the key term holds, what is learned, and the scores."""
    return {
        "per pair": B * H * T * T * d,
        "batched": T * T * d,
        "gather": B * H * T * (2 * k + 1),
        "table": (2 * k + 1) * d,
        "scores": B * H * T * T,
    }


def _sizes(rng: Random) -> Iterator[dict[str, int]]:
    """All different, and any of them the largest; no two forms hold as many."""
    yield {"B": 3, "H": 4, "T": rng.randint(20, 60), "d": rng.choice((8, 16)), "k": 6}
    yield {"B": 5, "H": 2, "T": rng.randint(3, 6), "d": rng.randint(30, 40), "k": 7}
    yield {"B": rng.randint(30, 70), "H": 12, "T": rng.randint(2000, 4000), "d": 64, "k": 9}
    yield {"B": 1, "H": rng.randint(6, 8), "T": rng.randint(9, 12), "d": 5, "k": 0}
    yield {"B": rng.randint(6, 9), "H": 1, "T": 11, "d": 3, "k": rng.randint(13, 20)}


def _typed(found: Any) -> Any:
    """A number and its type: an int holds any size, a float or an int32 does not."""
    tensor = compare.as_tensor(np.asarray(found) if isinstance(found, np.number) else found)
    value = tensor.item() if tensor is not None and tensor.numel() == 1 else found
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return {"the number": value, "its type": type(found).__name__}


def _kind(held: Any) -> str:
    return "dictionary" if isinstance(held, Mapping) else type(held).__name__


def _counted(rng: Random, names: tuple[str, ...]) -> Iterator[Case]:
    def ask(answer: Answer, name: str, sizes: dict[str, int]) -> Any:
        held = answer(**sizes)
        if held is None:
            return None
        try:
            entry = {"it has this entry": True} | _typed(held[name])
        except (KeyError, IndexError, TypeError):  # another name, or no dictionary
            entry = {"it has this entry": False} | _typed(None)
        return {"it returns a": _kind(held), **entry}

    for sizes in _sizes(rng):
        words = ", ".join(f"{key}={value}" for key, value in sizes.items())
        for name in names:
            yield Case(f'({words})["{name}"]', partial(ask, name=name, sizes=sizes))


def _learned(rng: Random) -> Iterator[Case]:
    yield from _counted(rng, ("table", "scores"))
    sizes = next(_sizes(rng))
    yield Case("the entries", lambda answer: _entries(answer(**sizes)))


def _entries(held: Any) -> Any:
    return sorted(map(str, held)) if isinstance(held, Mapping) else held


memory = Exercise(
    "memory",
    _numbers_held,
    (
        Part("the forms with a vector for each pair", 0.5, partial(_counted, names=PER_PAIR)),
        Part("the form with a product for each vector", 0.5, partial(_counted, names=("gather",))),
        Part("what is learned, and the scores", 0.5, _learned),
    ),
    explains=("Now predict",),
)


@memory.mistake(
    "You count (T − 1)² pairs. Each of the T tokens looks at all T tokens, itself included: "
    "count the entries of a score matrix.",
    loses=("the forms with a vector for each pair", "what is learned, and the scores"),
    breaks='`"scores"`',
)
def memory_counts_one_position_less(B, H, T, d, k):
    pairs = (T - 1) ** 2
    products, table = B * H * T * (2 * k + 1), (2 * k + 1) * d
    held = {"per pair": B * H * pairs * d, "batched": pairs * d, "gather": products}
    return held | {"table": table, "scores": B * H * pairs}


@memory.mistake(
    "You leave out the pair of a token and itself. It has a score like any other, at offset 0.",
    loses=("the forms with a vector for each pair", "what is learned, and the scores"),
)
def memory_without_a_token_and_itself(B, H, T, d, k):
    pairs = T * (T - 1)
    products, table = B * H * T * (2 * k + 1), (2 * k + 1) * d
    held = {"per pair": B * H * pairs * d, "batched": pairs * d, "gather": products}
    return held | {"table": table, "scores": B * H * pairs}


@memory.mistake(
    "Your table has 2k rows: offset 0 is missing between the k to the left and the k to the right.",
    loses=("the form with a product for each vector", "what is learned, and the scores"),
)
def memory_without_offset_zero(B, H, T, d, k):
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * 2 * k}
    return held | {"table": 2 * k * d, "scores": B * H * T * T}


@memory.mistake(
    "2T − 1 is the number of offsets without a clip. With one, the table's size depends on k "
    "alone.",
    loses=("the form with a product for each vector", "what is learned, and the scores"),
    breaks="$k$ is the clip",
)
def memory_without_a_clip(B, H, T, d, k):
    size = 2 * T - 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": size * d, "scores": B * H * T * T}


@memory.mistake(
    "In the batched form all sentences and heads are rows of one product: the vectors of the "
    "pairs exist only once.",
    loses="the forms with a vector for each pair",
    breaks='`"batched"`',
)
def memory_of_batched_for_each_head(B, H, T, d, k):
    size = 2 * k + 1
    pairs = B * H * T * T
    held = {"per pair": pairs * d, "batched": pairs * d, "gather": B * H * T * size}
    return held | {"table": size * d, "scores": pairs}


@memory.mistake(
    "The slow form multiplies element by element before it sums, so its largest tensor is "
    "that of the products: what is its shape?",
    loses="the forms with a vector for each pair",
    breaks='`"per pair"`',
)
def memory_per_pair_shared(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": size * d, "scores": B * H * T * T}


@memory.mistake(
    "In the gather form a product with the table has already summed over d: one number for "
    "each query and each row of the table.",
    loses="the form with a product for each vector",
    breaks='`"gather"`',
)
def memory_of_vectors_in_gather(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size * d}
    return held | {"table": size * d, "scores": B * H * T * T}


@memory.mistake(
    "T² is what the gather form returns. The exercise asks for what it reads from: the products "
    "of the queries with the table.",
    loses="the form with a product for each vector",
)
def memory_of_what_gather_returns(B, H, T, d, k):
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * T}
    return held | {"table": (2 * k + 1) * d, "scores": B * H * T * T}


@memory.mistake(
    "Shaw's vectors are shared by the heads: one table, each vector as wide as a head.",
    loses="what is learned, and the scores",
    breaks='`"table"`',
)
def memory_with_a_table_per_head(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": H * size * d, "scores": B * H * T * T}


@memory.mistake(
    "You leave out the rows that a short text does not use. The table has its 2k + 1 rows all the "
    "same, and the queries are multiplied with all of them.",
    loses=("the form with a product for each vector", "what is learned, and the scores"),
    breaks="$k$ is the clip",
)
def memory_of_the_rows_in_use(B, H, T, d, k):
    size = min(2 * k + 1, 2 * T - 1)
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": size * d, "scores": B * H * T * T}


@memory.mistake(
    "You count bytes. Count numbers, however many bytes each of them takes.",
    breaks="in numbers",
)
def memory_in_bytes(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    held |= {"table": size * d, "scores": B * H * T * T}
    return {name: 4 * numbers for name, numbers in held.items()}


@memory.mistake(
    "The layer has two tables in the end, but these forms read only one, the table beside the "
    "keys.",
    loses="what is learned, and the scores",
)
def memory_of_two_tables(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": 2 * size * d, "scores": B * H * T * T}


@memory.mistake(
    "The softmax reads the sum of both terms: one score for each pair, as without relative "
    "positions.",
    loses="what is learned, and the scores",
    breaks='`"scores"`',
)
def memory_of_two_kinds_of_scores(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": size * d, "scores": 2 * B * H * T * T}


@memory.mistake(
    "The numbers are right, but not all of them are of Python's type int. A division with / "
    "makes a float, even where there is no remainder; use neither torch nor NumPy here.",
    breaks="exactly these five whole numbers",
)
def memory_in_floats(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    held |= {"table": size * d, "scores": B * H * T * T}
    return {name: float(numbers) for name, numbers in held.items()}


@memory.mistake(
    "Your dictionary has entries that the exercise does not ask for. Return only the five that it "
    "asks for.",
    loses="what is learned, and the scores",
    breaks="exactly these five whole numbers",
)
def memory_with_a_sixth_entry(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    held |= {"table": size * d, "scores": B * H * T * T}
    return held | {"skew": B * H * T * 2 * T}
