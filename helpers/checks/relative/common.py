"""Unit 04: what several of its exercises draw and ask with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from helpers import encodings
from helpers.checks.engine import Answer, Case
from helpers.encodings import forms
from helpers.encodings.offsets import clip, offset_matrix

MODULES = (encodings.Shaw, encodings.ShawKeys, encodings.Huang, encodings.TreeOffsets)
TERMS: tuple[Answer, ...] = (*forms.FORMS.values(), forms.flex)


class Meter(TorchDispatchMode):
    """Looks at every tensor that is made inside the `with` block; NumPy's arrays it cannot see."""

    def __init__(self) -> None:
        super().__init__()
        self.largest = 0  # numbers in the memory of the largest one
        self.operations: set[str] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.operations.add(func.overloadpacket.__name__)
        for made in tree_leaves(result):
            if isinstance(made, Tensor):
                size = made.untyped_storage().nbytes() // made.element_size()
                self.largest = max(self.largest, size)
        return result


def largest_tensor(action: Callable[[], Any]) -> int:
    """How many numbers the largest tensor holds that `action()` makes."""
    with Meter() as meter:
        action()
    return meter.largest


def normal_numbers(rng: Random, *shape: int) -> Tensor:
    """Normal numbers, float32, from a seed that `rng` draws."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(*shape, generator=draw)


def offset_rows(length: int, k: int) -> Tensor:
    """Row of Shaw's table for each pair: clip(j − i, k) + k, (T, T)."""
    return clip(offset_matrix(length), k) + k


def term_case(first: Tensor, vectors: Tensor, rows: Tensor, name: str, words: str) -> Case:
    """What a key term makes of queries `first`, or a value term of weights."""
    label = f"({name} {tuple(first.shape)}, vectors {tuple(vectors.shape)}, {words})"
    return Case(label, lambda answer: answer(first.clone(), vectors.clone(), rows.clone()))


def cases_by_offset(rng: Random, name: str) -> Iterator[Case]:
    """Rows as in a text, clipped; for a value term `first` are weights."""
    length, k = rng.randint(8, 10), rng.randint(2, 3)
    first = normal_numbers(rng, 2, 3, length, 5)
    if name == "weights":
        first = normal_numbers(rng, 2, 3, length, length).softmax(-1)
    vectors = normal_numbers(rng, 2 * k + 1, 5)
    yield term_case(first, vectors, offset_rows(length, k), name, "rows by offset")


def cases_by_any_row(rng: Random, name: str) -> Iterator[Case]:
    """Any row for any pair, as in a tree or a graph."""
    length, size = rng.randint(6, 8), rng.randint(9, 11)
    first = normal_numbers(rng, 2, 3, length, 5)
    if name == "weights":
        first = normal_numbers(rng, 2, 3, length, length).softmax(-1)
    draw = Generator().manual_seed(rng.randrange(2**31))
    chosen = torch.randint(size, (length, length), generator=draw)
    yield term_case(first, normal_numbers(rng, size, 5), chosen, name, "any row for any pair")


def cases_of_memory(rng: Random, name: str, batched: bool = False) -> Iterator[Case]:
    """The numbers again, and whether a tensor was made that holds a vector for each pair.

    With `batched`, one vector a pair may be held, but not one for each sentence and head as well.
    """
    batch, heads, width = (3, 4, 8) if batched else (1, 2, 40)
    length, k = rng.randint(11, 13), rng.randint(3, 4)
    first = normal_numbers(rng, batch, heads, length, width)
    if name == "weights":
        first = normal_numbers(rng, batch, heads, length, length).softmax(-1)
    vectors, chosen = normal_numbers(rng, 2 * k + 1, width), offset_rows(length, k)
    too_many = length**2 * width * (batch * heads if batched else 1)

    def ask(answer: Answer) -> dict[str, Any]:
        with Meter() as meter:
            term = answer(first.clone(), vectors.clone(), chosen.clone())
        kept = f"every tensor has fewer than {too_many:,} numbers"
        return {"the numbers": term, kept: meter.largest < too_many}

    yield Case(f"({name} {tuple(first.shape)}, vectors {tuple(vectors.shape)}, …)", ask)
