"""Unit 04: what several of its exercises draw and ask with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from helpers import encodings
from helpers.checks.engine import Answer, Case, call, differentiated, unchanged
from helpers.encodings import forms
from helpers.encodings.offsets import clip, offset_matrix

MODULES = (encodings.Shaw, encodings.ShawKeys, encodings.Huang, encodings.TreeOffsets)
TERMS: tuple[Answer, ...] = (*forms.FORMS.values(), forms.flex)


class Meter(TorchDispatchMode):
    """Looks at every tensor that is made inside the `with` block; NumPy's arrays it cannot see."""

    def __init__(self) -> None:
        super().__init__()
        self.largest = 0  # numbers in the memory of the largest one
        self.made = 0  # tensors; one operation may make many, as unbind does
        self.operations: Counter[str] = Counter()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch would import its compiler at the first operation, which takes seconds."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.operations[func.overloadpacket.__name__] += 1
        for made in tree_leaves(result):
            if isinstance(made, Tensor):
                self.made += 1
                size = made.untyped_storage().nbytes() // made.element_size()
                self.largest = max(self.largest, size)
        return result


def largest_tensor(action: Callable[[], Any]) -> int:
    """How many numbers the largest tensor holds that `action()` makes."""
    with Meter() as meter:
        action()
    return meter.largest


def make_sure_of_the_meter() -> None:
    """Raise where cases are drawn: inside one, the reference would fail as the answer does.

    Raises:
        RuntimeError: a tensor is made, and the meter does not see it.
    """
    with Meter() as meter:
        torch.ones(3).add(1)
    if meter.largest != 3 or meter.operations["add"] != 1:
        raise RuntimeError("What tensors are made cannot be watched. Please restart the kernel.")


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
    return Case(label, call(first, vectors, rows).ask)


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
    for sizes, number in draws:
        rows = any_rows(rng, sizes.length, number)
        yield term_case(rng, name, sizes, number, rows, "any row for any pair")


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
    label = f"({name} {tuple(arguments[name].shape)}, …)"
    yield fine_case(label, lambda answer: lambda *given: answer(*given, rows), *arguments.values())


def fine_case(label: str, of: Callable[[Answer], Answer], *given: Tensor) -> Case:
    """By how much the result in float64 changes with a change of 1e−9, times 1e9.

    What is rounded to float32 on the way shows nothing of such a change.
    """
    before = [each.double() for each in given]
    after = [each + 1e-9 * each.flip(0, -1) for each in before]

    def ask(answer: Answer) -> Any:
        function = of(answer)
        found = [function(*(each.clone() for each in numbers)) for numbers in (before, after)]
        if any(type(each) is not Tensor for each in found):
            return found[0]
        return (found[1] - found[0]) * 1e9

    return Case(f"{label} in float64, digits beyond float32, as from a change of 1e-9", ask)


def cases_of_memory(rng: Random, name: str, times: int = 1) -> Iterator[Case]:
    """The numbers again, and the largest tensor, which holds fewer than `times` T²·d numbers.

    T and d are larger than B·H and R, so that nothing that is needed is as large.
    """
    batch, heads = rng.choice(((2, 3), (3, 2)))
    sizes = Sizes(batch, heads, rng.randint(23, 26), rng.randint(17, 20))
    k = rng.randint(3, 4)
    first, vectors = _first(rng, name, sizes), normal_numbers(rng, 2 * k + 1, sizes.width)
    chosen = offset_rows(sizes.length, k)
    most = times * sizes.length**2 * sizes.width - 1
    make_sure_of_the_meter()

    def ask(answer: Answer) -> dict[str, Any]:
        given = first.clone(), vectors.clone(), chosen.clone()
        with Meter() as meter:
            term = answer(*given)
        unchanged(given, (first, vectors, chosen))
        size = f"{meter.largest:,}" if meter.largest > most else f"at most {most:,}"
        return {"the numbers": term, "size of the largest tensor": size}

    yield Case(f"({name} {tuple(first.shape)}, vectors {tuple(vectors.shape)}, …)", ask)
