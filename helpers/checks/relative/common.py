"""Unit 04: what several of its exercises draw and ask with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, call, differentiated, digits, unchanged
from helpers.encodings import relative_logits as logits
from helpers.encodings.offsets import clip, offset_matrix
from helpers.model.tensor_counter import TensorCounter

MODULES = (encodings.Shaw, encodings.ShawKeys, encodings.Huang, encodings.TreeOffsets)
TERMS: tuple[Answer, ...] = (
    *logits.FORMS.values(),
    logits.flex,
    encodings.ShawKeys,
)


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


def normal_numbers(rng: Random, *shape: int) -> Tensor:
    """Normal numbers, float32, from a seed that `rng` draws."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(*shape, generator=draw)


def attention_weights(rng: Random, batch: int, heads: int, length: int) -> Tensor:
    """α after dropout, (B, H, T, T): some are 0, and a query's weights do not add up to 1."""
    weights = normal_numbers(rng, batch, heads, length, length).softmax(-1)
    return weights * (normal_numbers(rng, *weights.shape) > -0.6) / 0.73


def any_rows(rng: Random, length: int, size: int) -> Tensor:
    """Any of `size` rows for any pair, as in a tree or a graph; (T, T)."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randint(size, (length, length), generator=draw)


def offset_rows(length: int, k: int) -> Tensor:
    """Row of Shaw's table for each pair: clip(j − i, k) + k, (T, T)."""
    return clip(offset_matrix(length), k) + k


@dataclass(frozen=True)
class Sizes:
    """B, H, T and d."""

    batch: int
    heads: int
    length: int
    width: int


def _first(rng: Random, name: str, sizes: Sizes) -> Tensor:
    """What comes before the vectors and rows: queries, or weights."""
    if name == "weights":
        return attention_weights(rng, sizes.batch, sizes.heads, sizes.length)
    return normal_numbers(rng, sizes.batch, sizes.heads, sizes.length, sizes.width)


def term_case(rng: Random, name: str, sizes: Sizes, size: int, rows: Tensor, words: str) -> Case:
    """What a key term makes of queries, or a value term of weights, and of `size` vectors."""
    first, vectors = _first(rng, name, sizes), normal_numbers(rng, size, sizes.width)
    label = f"({name} {tuple(first.shape)}, vectors {tuple(vectors.shape)}, {words})"
    return call(first, vectors, rows).labelled(label)


def cases_by_offset(rng: Random, name: str) -> Iterator[Case]:
    """Rows as in a text: clipped, with k beyond T, and with one token."""
    length, k = rng.randint(8, 10), rng.randint(2, 3)
    draws = [(Sizes(2, 3, length, 5), k)] * 2  # the same shapes once more
    length = rng.randint(4, 5)
    draws += [(Sizes(3, 2, length, rng.randint(11, 13)), length + rng.randint(0, 2))]
    draws += [(Sizes(1, 1, 1, 4), 1), (Sizes(5, 1, 2, 3), 0), (Sizes(5, 5, 5, 5), 2)]
    for sizes, clipped in draws:
        rows = offset_rows(sizes.length, clipped)
        yield term_case(rng, name, sizes, 2 * clipped + 1, rows, "rows by offset")


def cases_by_any_row(rng: Random, name: str) -> Iterator[Case]:
    """Any row for any pair, with more and with fewer vectors than tokens."""
    length, size = rng.randint(6, 8), rng.randint(9, 11)
    draws = [(Sizes(2, 3, length, 5), size)] * 2
    draws += [(Sizes(4, 2, rng.randint(6, 7), 3), 4), (Sizes(1, 3, 5, 14), 2)]
    draws += [(Sizes(3, 2, 6, 4), 8)]  # as many tokens as sentences and heads
    for alike in (Sizes(5, 2, 5, 3), Sizes(3, 3, 5, 4), Sizes(2, 5, 5, 3), Sizes(4, 4, 4, 6)):
        draws += [(alike, alike.length), (alike, 9)]  # B = T, B = H, H = T and all; R = T as well
    draws += [(Sizes(2, 3, 4, 1), 5), (Sizes(1, 2, 3, rng.randint(130, 140)), 4)]  # d at its ends
    for sizes, number in draws:
        rows = any_rows(rng, sizes.length, number)
        yield term_case(rng, name, sizes, number, rows, "any row for any pair")
    yield _large_case(rng, name)
    many = Sizes(1, 1, rng.randint(258, 262), 2)  # and more vectors than a byte counts
    number = rng.randint(270, 300)
    rows = any_rows(rng, many.length, number)
    yield term_case(rng, name, many, number, rows, "any row for any pair")


def _large_case(rng: Random, name: str) -> Case:
    """Numbers of any size go in and come out; whole ones, which float32 adds up in any order."""
    sizes, number = Sizes(2, 3, rng.randint(5, 7), rng.randint(4, 6)), rng.randint(3, 5)
    first = (40 * _first(rng, name, sizes)).round()
    vectors = (30 * normal_numbers(rng, number, sizes.width)).round()
    words = f"({name} of numbers up to {first.abs().max().item():g}, …)"
    return call(first, vectors, any_rows(rng, sizes.length, number)).labelled(words)


def cases_by_row(rng: Random, name: str) -> Iterator[Case]:
    """Any rows, those by offset among them."""
    yield from cases_by_any_row(rng, name)
    yield from cases_by_offset(rng, name)


def cases_backwards(rng: Random, name: str) -> Iterator[Case]:
    """float64, and what reaches the vectors and what comes before them."""
    sizes, k = Sizes(2, 3, rng.randint(6, 8), 5), rng.randint(2, 3)
    vectors = normal_numbers(rng, 2 * k + 1, sizes.width)
    arguments: dict[str, Any] = {name: _first(rng, name, sizes), "vectors": vectors}
    rows = offset_rows(sizes.length, k)
    yield differentiated(**arguments, rows=rows)
    for small in (Sizes(2, 1, 4, 3), Sizes(2, 2, 1, 3)):  # one head; one token
        few: dict[str, Any] = {name: _first(rng, name, small), "vectors": normal_numbers(rng, 3, 3)}
        words = f" with B=2, H={small.heads}, T={small.length}, d=3"
        yield differentiated(words, **few, rows=offset_rows(small.length, 1))
    label = f"({name} {tuple(arguments[name].shape)}, …)"
    yield digits(label, *arguments.values(), of=lambda answer: partial(_by_rows, answer, rows))


def _by_rows(answer: Answer, rows: Tensor, first: Tensor, vectors: Tensor) -> Any:
    return answer(first, vectors, rows)


def cases_of_memory(rng: Random, name: str, times: int = 1) -> Iterator[Case]:
    """The numbers again, and the largest tensor, which holds fewer than `times` T²·d numbers.

    T and d are larger than B·H and R, so that nothing that is needed is as large. Three heads or
    more: a copy for each of them is more than one tensor that is twice as wide.
    """
    make_sure_of_the_meter()
    sizes = Sizes(2, rng.choice((3, 4)), rng.randint(23, 26), rng.randint(17, 20))
    short = Sizes(1, 3, rng.randint(12, 15), rng.randint(17, 20))
    k = rng.randint(3, 4)
    yield _memory_case(rng, name, sizes, k, times)
    yield _memory_case(rng, name, short, 2, times)
    # One head for several sentences; and a text that is short, but still longer than the heads.
    yield _memory_case(rng, name, Sizes(3, 1, rng.randint(12, 15), 18), 2, times)
    yield _memory_case(rng, name, Sizes(1, 4, rng.randint(5, 6), rng.randint(8, 10)), 1, times)
    yield _memory_case(rng, name, sizes, k, times, training=True)


def _memory_case(
    rng: Random, name: str, sizes: Sizes, k: int, times: int, training: bool = False
) -> Case:
    """In training a gradient is wanted and comes back, here in float64."""
    first, vectors = _first(rng, name, sizes), normal_numbers(rng, 2 * k + 1, sizes.width)
    if training:
        first, vectors = (each.double().requires_grad_() for each in (first, vectors))
    chosen = offset_rows(sizes.length, k)
    most = times * sizes.length**2 * sizes.width - 1

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
