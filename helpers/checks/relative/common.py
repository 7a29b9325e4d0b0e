"""Unit 04: what several of its exercises draw and ask with."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.engine import Answer, Case, call, differentiated, digits, unchanged
from helpers.encodings.offsets import clip, offset_matrix
from helpers.model.tensor_counter import TensorCounter

MODULES = (encodings.Shaw, encodings.ShawKeys, encodings.Huang, encodings.TreeOffsets)
TERMS: tuple[Answer, ...] = (encodings.ShawKeys,)


def make_sure_of_the_meter() -> None:
    """Raise where cases are drawn: inside one, the reference would fail as the answer does.

    Raises:
        RuntimeError: a tensor is made, and the meter does not see it.
    """
    with TensorCounter() as meter:
        torch.ones(3).add(1)
    if meter.largest != 3 or meter.operations["add"] != 1:
        raise RuntimeError(
            "The tensors that are made cannot be watched in this kernel. Please restart it."
        )


def attention_weights(rng: Random, batch: int, heads: int, length: int) -> Tensor:
    """Return α after dropout, (B, H, T, T): some are 0, and no query's weights add up to 1."""
    weights = draws.normal(rng, batch, heads, length, length).softmax(-1)
    return weights * (draws.normal(rng, *weights.shape) > -0.6) / 0.73


def any_rows(rng: Random, length: int, size: int) -> Tensor:
    """Return any of `size` rows for any pair, as in a tree or a graph; (T, T)."""
    return draws.integers(rng, size, length, length)


def offset_rows(length: int, k: int) -> Tensor:
    """Return the row of Shaw's table for each pair: clip(j − i, k) + k, (T, T)."""
    return clip(offset_matrix(length), k) + k


Sizes = tuple[int, int, int, int]  # B, H, T and d


def _first(rng: Random, name: str, sizes: Sizes) -> Tensor:
    """Draw what comes before the vectors and rows: queries, or weights."""
    return attention_weights(rng, *sizes[:3]) if name == "weights" else draws.normal(rng, *sizes)


def _term_case(rng: Random, name: str, sizes: Sizes, size: int, rows: Tensor) -> Case:
    """What a key term makes of queries, or a value term of weights, and of `size` vectors."""
    first, vectors = _first(rng, name, sizes), draws.normal(rng, size, sizes[3])
    label = f"({name} {tuple(first.shape)}, vectors {tuple(vectors.shape)}, rows)"
    return call(first, vectors, rows).labelled(label)


def cases_by_offset(rng: Random, name: str) -> Iterator[Case]:
    """Rows as in a text: clipped, with k beyond T, with one token, and with k = 0."""
    length, k = rng.randint(8, 10), rng.randint(2, 3)
    short = rng.randint(4, 5)
    for sizes, clipped in (
        *(((2, 3, length, 5), k), ((3, 2, short, rng.randint(11, 13)), short + 1)),
        *(((1, 1, 1, 4), 1), ((5, 1, 2, 3), 0), ((5, 5, 5, 5), 2)),
    ):
        yield _term_case(rng, name, sizes, 2 * clipped + 1, offset_rows(sizes[2], clipped))


def cases_by_any_row(rng: Random, name: str) -> Iterator[Case]:
    """Any row for any pair, as in a tree: with more and with fewer vectors than tokens, d = 1."""
    length, size = rng.randint(6, 8), rng.randint(9, 11)
    for sizes, number in (
        *(((2, 3, length, 5), size), ((4, 2, length, 3), 4), ((1, 3, 5, 14), 2)),
        *(((4, 4, 4, 6), 4), ((2, 3, 4, 1), 5), ((1, 1, 258, 2), 300)),
    ):
        yield _term_case(rng, name, sizes, number, any_rows(rng, sizes[2], number))


def cases_by_row(rng: Random, name: str) -> Iterator[Case]:
    """Any rows, those by offset among them."""
    yield from cases_by_any_row(rng, name)
    yield from cases_by_offset(rng, name)


def cases_backwards(rng: Random, name: str) -> Iterator[Case]:
    """float64, and what reaches the vectors and what comes before them."""
    for sizes, k in (((2, 3, rng.randint(6, 8), 5), 2), ((2, 1, 4, 3), 1)):
        first, vectors = _first(rng, name, sizes), draws.normal(rng, 2 * k + 1, sizes[3])
        rows = offset_rows(sizes[2], k)
        arguments: dict[str, Any] = {name: first, "vectors": vectors, "rows": rows}
        yield differentiated(" with B={}, H={}, T={}, d={}".format(*sizes), **arguments)
        yield digits(f"({name}, …)", first, vectors).of(partial(_with_rows, rows))


def _with_rows(rows: Tensor, answer: Answer) -> Answer:
    return lambda first, vectors: answer(first, vectors, rows)


def cases_of_memory(rng: Random, name: str, times: int = 1) -> Iterator[Case]:
    """The numbers again, and the largest tensor, which holds fewer than `times` T²·d numbers.

    T and d are larger than B·H and R, so that nothing that is needed is as large. Three heads or
    more: a copy for each of them is more than one tensor that is twice as wide.
    """
    make_sure_of_the_meter()
    sizes = 2, rng.choice((3, 4)), rng.randint(23, 26), rng.randint(17, 20)
    yield _memory_case(rng, name, sizes, 3, times)
    yield _memory_case(rng, name, (3, 1, rng.randint(12, 15), 18), 2, times)  # one head
    yield _memory_case(rng, name, sizes, 3, times, training=True)


def _memory_case(
    rng: Random, name: str, sizes: Sizes, k: int, times: int, training: bool = False
) -> Case:
    """In training a gradient is wanted and comes back, here in float64."""
    first, vectors = _first(rng, name, sizes), draws.normal(rng, 2 * k + 1, sizes[3])
    if training:
        first, vectors = (each.double().requires_grad_() for each in (first, vectors))
    chosen = offset_rows(sizes[2], k)
    most = times * sizes[2] ** 2 * sizes[3] - 1

    def ask(answer: Answer) -> dict[str, Any]:
        leaves = (each.detach().clone().requires_grad_(training) for each in (first, vectors))
        given = *leaves, chosen.clone()
        with TensorCounter() as meter:
            term = answer(*given)
            if training and type(term) is Tensor and term.requires_grad:
                term.cos().sum().backward()
        unchanged(given, (first, vectors, chosen))
        size = f"{meter.largest:,}" if meter.largest > most else f"at most {most:,}"
        return {"the numbers": term, "size of the largest tensor": size}

    words = ", in float64, where gradients are wanted" if training else ""
    return Case(f"({name} {tuple(first.shape)}, vectors {tuple(vectors.shape)}, …){words}", ask)
