"""Unit 04, “What does each form hold?”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
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
)


@memory.mistake(
    "You count (T − 1)² pairs. Every one of T queries looks at every one of T keys, itself "
    "included: count the entries of a score matrix.",
    loses=("the forms with a vector for each pair", "what is learned, and the scores"),
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
)
def memory_without_a_clip(B, H, T, d, k):
    size = 2 * T - 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": size * d, "scores": B * H * T * T}


@memory.mistake(
    "In the batched form all sentences and heads are rows of one product: the vectors of the "
    "pairs are there once.",
    loses="the forms with a vector for each pair",
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
)
def memory_per_pair_shared(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": size * d, "scores": B * H * T * T}


@memory.mistake(
    "In the gather form a product with the table has summed over d already: one number for "
    "each query and each row of the table.",
    loses="the form with a product for each vector",
)
def memory_of_vectors_in_gather(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size * d}
    return held | {"table": size * d, "scores": B * H * T * T}


@memory.mistake(
    "T² is what the gather form returns. Asked is what it reads from: the products of the "
    "queries with the table.",
    loses="the form with a product for each vector",
)
def memory_of_what_gather_returns(B, H, T, d, k):
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * T}
    return held | {"table": (2 * k + 1) * d, "scores": B * H * T * T}


@memory.mistake(
    "Shaw's vectors are shared by the heads: one table, each vector as wide as a head.",
    loses="what is learned, and the scores",
)
def memory_with_a_table_per_head(B, H, T, d, k):
    size = 2 * k + 1
    held = {"per pair": B * H * T * T * d, "batched": T * T * d, "gather": B * H * T * size}
    return held | {"table": H * size * d, "scores": B * H * T * T}
