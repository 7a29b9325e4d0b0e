"""Unit 03, “A table that learns”: what it asks, and what people write instead.

Mistakes are in table_rows.py; those about how rows are kept and begin in table_start.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor, nn

from helpers import encodings
from helpers.checks.engine import (
    Answer,
    ArgumentChangedError,
    Case,
    Exercise,
    Part,
    refusal,
    unchanged,
)
from helpers.checks.learned import common
from helpers.encodings import Encoding, additive


class LearnedEncoding(encodings.Learned):
    """The library's table, with no text longer than `max_len` whatever positions are given."""

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, std: float = 0.02
    ) -> None:
        super().__init__(d_model, num_heads, max_len, std)

    def embed(self, x: Tensor, positions: Tensor | None = None) -> Tensor:
        """x + rows, for a text of at most `max_len` tokens."""
        self._check_length(x.shape[1])
        return super().embed(x, positions)


def _inputs(rng: Random, max_len: int) -> Iterator[Tensor]:
    """x (B, T, D): the longest of B, T and D is each in turn, T is nearly `max_len`, T = 1."""
    a, b, c = rng.randint(2, 4), rng.randint(5, 7), rng.randint(8, 11)
    for shape in ((a, b, c), (c, a, b), (b, c, a), (a, max_len - 1, b), (1, 1, c), (b, 1, c)):
        yield common.normal_numbers(rng, *shape)


def _table_with(answer: Answer, rows: Tensor) -> Any:
    """The answer's module, with `rows` put in the place of what it has drawn."""
    module = common.made(answer, d_model=rows.shape[1], max_len=len(rows)).to(rows.dtype)
    for table in _tables(module, rows.numel()):
        table.data = rows.reshape(table.shape).clone()
    return module


def _tables(module: Any, size: int) -> list[Tensor]:
    """What the module keeps that has `size` numbers: its Parameters, else whatever there is."""
    for kept in (module.parameters(), module.buffers(), vars(module).values()):
        if found := [each for each in kept if isinstance(each, Tensor) and each.numel() == size]:
            return found
    return []


def _size(module: Any, max_len: int, width: int) -> dict[str, str]:
    """Whether the module keeps a table of that size; if not, what it has."""
    there = "is there"
    if not _tables(module, max_len * width):
        shapes = ", ".join(str(tuple(each.shape)) for each in module.parameters())
        there = f"the shape {shapes}" if shapes else "no Parameter"
    return {f"a table of shape {(max_len, width)}": there}


def _embedded(module: Any, *arguments: Tensor) -> Any:
    """What embed returns, if it leaves its arguments as they are."""
    given = [each.clone() for each in arguments]
    result = module.embed(*given)
    unchanged(tuple(given), arguments)
    if given[0].requires_grad:
        raise ArgumentChangedError("number 1, which asks for gradients now")
    return result


def _rows_added(rng: Random) -> Iterator[Case]:
    max_len = rng.randint(12, 16)
    for x in _inputs(rng, max_len):
        rows = common.normal_numbers(rng, max_len, x.shape[2])

        def ask(answer: Answer, x: Tensor = x, rows: Tensor = rows) -> Any:
            module = _table_with(answer, rows)
            seen: dict[str, Any] = {
                **_size(module, *rows.shape),
                "the result": _embedded(module, x),
                "the result for another x of this shape": _embedded(module.eval(), x.flip(0, 1)),
            }
            for table in _tables(module, rows.numel()):
                table.data = rows.flip(0, 1).reshape(table.shape)
            return seen | {"the result with other rows, after eval()": _embedded(module, x)}

        words = f"embed(x) with x of shape {tuple(x.shape)} and {max_len} given rows"
        yield Case(words, ask)


def _rows_chosen(rng: Random) -> Iterator[Case]:
    max_len = rng.randint(12, 16)
    for x in _inputs(rng, max_len):
        rows = common.normal_numbers(rng, max_len, x.shape[2])
        positions = 1 + common.random_positions(rng, max_len - 1, *x.shape[:2])

        def ask(answer: Answer, x: Tensor = x, rows: Tensor = rows, p: Tensor = positions) -> Any:
            module = _table_with(answer, rows)
            return _size(module, *rows.shape) | {
                f"positions {tuple(p.shape)}, each sequence its own": _embedded(module, x, p),
                "other positions of this shape": _embedded(module, x, max_len - 1 - p),
                f"positions {tuple(p[0].shape)}, the same for all": _embedded(module, x, p[0]),
            }

        words = f"embed(x, positions) with x of shape {tuple(x.shape)} and {max_len} given rows"
        yield Case(words, ask)


def _trained(rng: Random) -> Iterator[Case]:
    x = next(_inputs(rng, 12))
    max_len = rng.randint(12, 16)

    def ask(answer: Answer) -> dict[str, Any]:
        module = answer(d_model=x.shape[2], max_len=max_len)
        tables = _tables(module, max_len * x.shape[2])
        return {
            "it is an Encoding": isinstance(module, encodings.Encoding),
            **_size(module, max_len, x.shape[2]),
            "its rows are kept as": [common.kept_as(module, each) for each in tables],
            "numbers in each Parameter": [each.numel() for each in module.parameters()],
            "a step of gradient descent changes what embed adds": _moves(module, x),
        }

    yield Case("a new module", ask)


def _moves(module: Any, x: Tensor) -> bool:
    before = module.embed(x.clone()).clone()
    trained = [each for each in module.parameters() if each.requires_grad]
    if not (trained and before.requires_grad):
        return False
    before.square().sum().backward()
    common.descend(trained)
    return not torch.allclose(module.embed(x.clone()), before)


def _started(rng: Random) -> Iterator[Case]:
    max_len, width = rng.randint(210, 250), rng.randint(160, 190)

    def ask(answer: Answer, **std: float) -> dict[str, Any]:
        modules = [answer(d_model=width, max_len=max_len, **std) for _ in range(2)]
        tables = [table for each in modules for table in _tables(each, max_len * width)[:1]]
        rows = tables[0].detach().reshape(max_len, width) if tables else torch.zeros(1, 1)
        return {
            **_size(modules[0], max_len, width),
            **common.begins(tables or [rows], std.get("std", 0.02)),
            "rows that differ in more than signs": len(rows.abs().unique(dim=0)),
            "columns that differ in more than signs": len(rows.abs().unique(dim=1).T),
            "each row has the mean 0": _centred(rows, std.get("std", 0.02)),
            "each column has the mean 0": _centred(rows.T, std.get("std", 0.02)),
            "the lengths of the rows differ as by chance": _spread(rows, std.get("std", 0.02)),
            "the lengths of the columns differ as by chance": _spread(rows.T, std.get("std", 0.02)),
        }

    yield Case("the numbers of a new module without std", ask)
    for std in (rng.choice((0.1, 0.2, 0.3, 0.5)), rng.choice((1.5, 2.0, 3.0))):
        yield Case(f"the numbers of a new module with std={std:g}", partial(ask, std=std))


def _spread(rows: Tensor, std: float) -> bool:
    """Whether their lengths lie about as far apart as those of rows of independent numbers."""
    return bool(0.5 < rows.norm(dim=1).std() / (std / math.sqrt(2)) < 1.5)


def _centred(rows: Tensor, std: float) -> bool:
    """Whether their means are as near to 0 as those of independent numbers."""
    return bool((rows.mean(1).square().mean() * rows.shape[1]).sqrt() < 1.5 * std)


MIXED = ((torch.float32, torch.bfloat16), (torch.float32, torch.float64),
         (torch.float64, torch.float32), (torch.bfloat16, torch.float32),
         (torch.float16, torch.float64))  # fmt: skip


def _backwards(rng: Random) -> Iterator[Case]:
    x = next(_inputs(rng, 12))
    rows = common.normal_numbers(rng, 12, x.shape[2])
    positions = common.random_positions(rng, 12, *x.shape[:2])

    def ask(answer: Answer, given: tuple[Tensor, ...]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for of_rows, of_x in MIXED:
            module = _table_with(answer, rows.to(of_rows))
            words = f"where x has {of_x} and the rows have {of_rows}".replace("torch.", "")
            result = module.embed(x.clone().to(of_x), *given)
            seen[f"the dtype of the result {words}"] = str(result.dtype)
            blank = _table_with(answer, torch.zeros_like(rows).to(of_rows))
            found = blank.embed(x.clone().to(of_x), *given)
            seen[f"rows of zeros leave the digits of x {words}"] = _as_it_was(found, x.to(of_x))
            leaf = x.clone().to(of_x).requires_grad_()
            seen[f"gradients reach, after eval(), {words}"] = _reached(
                module.eval(), rows.numel(), leaf, *given
            )
        module = _table_with(answer, rows.double())
        leaf = x.double().requires_grad_()
        tables = _tables(module, rows.numel()) or [torch.zeros(1, dtype=torch.float64)]
        leaves: dict[str, Tensor | None] = {"x": leaf, "the rows": tables[0]}
        return seen | common.gradients(lambda: module.embed(leaf, *given), leaves)

    yield Case("embed(x)", partial(ask, given=()))
    yield Case("embed(x, positions)", partial(ask, given=(positions,)))


def _reached(module: Any, size: int, leaf: Tensor, *given: Tensor) -> list[str]:
    found = module.embed(leaf, *given)
    if found.requires_grad:
        found.double().sum().backward()
    leaves = {"x": [leaf], "the rows": _tables(module, size)}
    return [
        n for n, some in leaves.items() if any(e.grad is not None and e.grad.any() for e in some)
    ]


def _as_it_was(found: Tensor, x: Tensor) -> bool:
    """Whether a number in the precision of x is left; which rows are added plays no part."""
    return found.shape == x.shape and torch.equal(found.double(), x.double())


def _too_long(rng: Random) -> Iterator[Case]:
    """T is above max_len where B and D are below, and the other way round."""

    def ask(answer: Answer, x: Tensor, max_len: int, given: tuple[Tensor, ...]) -> dict[str, Any]:
        module = common.made(answer, d_model=x.shape[2], max_len=max_len)
        sizes = {"T": x.shape[1], "max_len": max_len}
        in_training = refusal(partial(module.embed, x.clone(), *given), **sizes)
        after = refusal(partial(module.eval().embed, x.clone(), *given), **sizes)
        return in_training | {f"after eval(), {words}": found for words, found in after.items()}

    rows = rng.randint(6, 8)
    less, more = rng.sample(range(2, rows), 2), rng.sample(range(rows + 2, rows + 8), 2)
    for length, (batch, width) in (
        (rows + 1, less),
        (2 * rows + rng.randint(5, 30), less),
        (rows, more),
        (rows - rng.randint(1, 3), more),
    ):
        x = common.normal_numbers(rng, batch, length, width)
        for given in ((), (common.random_positions(rng, rows, length),)):
            words = "embed(x, positions)" if given else "embed(x)"
            label = f"{words} with x of shape {tuple(x.shape)} and max_len={rows}"
            yield Case(label, partial(ask, x=x, max_len=rows, given=given))


table = Exercise(
    "table",
    LearnedEncoding,
    (
        Part("adds row p at position p", 0.5, _rows_added),
        Part("adds the rows it is told to", 0.5, _rows_chosen),
        Part("the rows are trained", 0.5, _trained),
        Part("the rows start with the std asked for", 0.5, _started),
        Part("dtype and gradients", 0.5, _backwards),
        Part("says when there is no row", 0.5, _too_long),
    ),
    forbidden=(encodings.Learned, additive.Table),
)


class RightTable(Encoding):
    """The right module, cut into pieces so that each mistake shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512, std=0.02):
        super().__init__(d_model, num_heads, max_len)
        self.keep(self.first(max_len, d_model, std))

    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model) * std

    def keep(self, rows):
        self.table = nn.Parameter(rows)

    def check(self, length):
        if length > self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")

    def rows(self, x, positions):
        return self.table[: x.shape[1]] if positions is None else self.table[positions]

    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x + self.rows(x, positions).to(x.dtype)
