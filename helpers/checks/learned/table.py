"""Unit 03, “A table that learns”: what it asks, and what people write instead.

How rows begin is asked in table_begins.py. Mistakes are in table_rows.py; those about how rows are
kept and begin in table_start.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

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
from helpers.checks.learned import common, table_begins
from helpers.checks.positions import at
from helpers.encodings import absolute


class LearnedEncoding(encodings.Learned):
    """The library's table, with no text longer than `max_len` whatever positions are given."""

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, std: float = 0.02
    ) -> None:
        super().__init__(d_model, num_heads, max_len, std)

    def embed(self, x: Tensor, positions: encodings.Positions) -> Tensor:
        """x + rows, for a text of at most `max_len` tokens."""
        self._check_length(x.shape[1])
        return super().embed(x, positions)


def _inputs(rng: Random, max_len: int) -> Iterator[Tensor]:
    """x (B, T, D): each is the longest in turn, T nearly `max_len`, T = 1; B = T, T = D, both."""
    a, b, c = rng.randint(2, 4), rng.randint(5, 7), rng.randint(8, 11)
    for shape in ((a, b, c), (c, a, b), (b, c, a), (a, max_len - 1, b), (1, 1, c), (b, 1, c),
                  (b, b, c), (a, b, b), (b, b, b)):  # fmt: skip
        yield common.normal_numbers(rng, *shape)


def _table_with(answer: Answer, rows: Tensor) -> Any:
    """The answer's module, with `rows` put in the place of what it has drawn."""
    module = common.made(answer, d_model=rows.shape[1], max_len=len(rows)).to(rows.dtype)
    for table in table_begins.tables_of(module, rows.numel()):
        table.data = rows.reshape(table.shape).clone()
    return module


def _embedded(module: Any, *arguments: Tensor) -> Any:
    """What embed returns, if it leaves its arguments as they are."""
    given = [each.clone() for each in arguments]
    result = module.embed(given[0], at(*given))
    unchanged(tuple(given), arguments)
    if given[0].requires_grad:
        raise ArgumentChangedError("number 1, which asks for gradients now")
    return result


def _rows_added(rng: Random) -> Iterator[Case]:
    max_len = rng.randint(12, 16)
    large = common.normal_numbers(rng, rng.randint(17, 20), 9, rng.randint(65, 80))
    long = common.normal_numbers(rng, 2, rng.randint(515, 540), 6)
    for x in (*_inputs(rng, max_len), large, long):
        more = 0 if x is long else 1  # the longest is as long as there are rows
        rows = common.normal_numbers(rng, max(max_len, x.shape[1] + more), x.shape[2])

        def ask(answer: Answer, x: Tensor = x, rows: Tensor = rows) -> Any:
            module = _table_with(answer, rows)
            with contextlib.suppress(Exception):  # positions that are given have their own part
                module.embed(x.clone(), at(x, torch.arange(x.shape[1]).flip(0)))
            seen: dict[str, Any] = {
                **table_begins.size_of(module, *rows.shape),
                "the result": _embedded(module, x),
                "the result for another x of this shape": _embedded(module.eval(), x.flip(0, 1)),
            }
            for table in table_begins.tables_of(module, rows.numel()):
                table.data = rows.flip(0, 1).reshape(table.shape)
            return seen | {"the result with other rows, after eval()": _embedded(module, x)}

        words = f"embed(x) with x of shape {tuple(x.shape)} and {len(rows)} given rows"
        yield Case(words, ask)


def _rows_chosen(rng: Random) -> Iterator[Case]:
    few, many = rng.randint(12, 16), rng.randint(1_030, 1_100)
    large = common.normal_numbers(rng, rng.randint(17, 20), 9, rng.randint(65, 80))
    every = common.normal_numbers(rng, 2, few, 5)  # as many tokens as rows
    for x, max_len in [*((x, few) for x in (*_inputs(rng, few), every)), (large, many)]:
        rows = common.normal_numbers(rng, max_len, x.shape[2])
        positions = 1 + common.random_positions(rng, max_len - 1, *x.shape[:2])

        def ask(answer: Answer, x: Tensor = x, rows: Tensor = rows, p: Tensor = positions) -> Any:
            module = _table_with(answer, rows)
            return table_begins.size_of(module, *rows.shape) | {
                f"positions {tuple(p.shape)}, each sequence its own": _embedded(module, x, p),
                "other positions of this shape, after eval()": (
                    _embedded(module.eval(), x, len(rows) - 1 - p)
                ),
                f"positions {tuple(p[0].shape)}, the same for all": _embedded(module, x, p[0]),
                "every token at position 0": _embedded(module, x, torch.zeros_like(p[0])),
            }

        words = f"embed(x, positions) with x of shape {tuple(x.shape)} and {max_len} given rows"
        yield Case(words, ask)


def _trained(rng: Random) -> Iterator[Case]:
    x = next(_inputs(rng, 12))
    max_len = rng.randint(12, 16)

    def ask(answer: Answer) -> dict[str, Any]:
        heads = common.some_heads(x.shape[2])
        module = answer(d_model=x.shape[2], num_heads=heads, max_len=max_len)
        tables = table_begins.tables_of(module, max_len * x.shape[2])
        return {
            "it is an Encoding": isinstance(module, encodings.Encoding),
            **table_begins.size_of(module, max_len, x.shape[2]),
            "its rows are kept as": [common.kept_as(module, each) for each in tables],
            "numbers in each Parameter": [each.numel() for each in module.parameters()],
            "a step of gradient descent changes what embed adds": _moves(module, x),
        }

    yield Case("a new module", ask)


def _moves(module: Any, x: Tensor) -> bool:
    before = module.embed(x.clone(), at(x)).clone()
    trained = [each for each in module.parameters() if each.requires_grad]
    if not (trained and before.requires_grad):
        return False
    before.square().sum().backward()
    common.descend(trained)
    return not torch.allclose(module.embed(x.clone(), at(x)), before)


MIXED = ((torch.float32, torch.bfloat16), (torch.float32, torch.float64),
         (torch.float64, torch.float32), (torch.bfloat16, torch.float32),
         (torch.float16, torch.float64))  # fmt: skip


def _backwards(rng: Random) -> Iterator[Case]:
    x = next(_inputs(rng, 12))
    rows = common.normal_numbers(rng, 12, x.shape[2])
    positions = common.random_positions(rng, 12, *x.shape[:2])

    def ask(answer: Answer, given: tuple[Tensor, ...]) -> dict[str, Any]:
        module = _table_with(answer, rows)
        seen: dict[str, Any] = table_begins.size_of(module, *rows.shape)
        for of_rows, of_x in MIXED:
            module = _table_with(answer, rows.to(of_rows))
            words = f"where x has {of_x} and the rows have {of_rows}".replace("torch.", "")
            result = module.embed(x.clone().to(of_x), at(x, *given))
            seen[f"embed leaves the rows as they are {words}"] = _kept(module, rows.to(of_rows))
            seen[f"the dtype of the result {words}"] = str(result.dtype)
            blank = _table_with(answer, torch.zeros_like(rows).to(of_rows))
            found = blank.embed(x.clone().to(of_x), at(x, *given))
            seen[f"rows of zeros change no digit of x {words}"] = _as_it_was(found, x.to(of_x))
            leaf = x.clone().to(of_x).requires_grad_()
            seen[f"gradients reach, after eval(), {words}"] = _reached(
                module.eval(), rows.numel(), leaf, *given
            )
        module = _table_with(answer, rows.double())
        leaf = x.double().requires_grad_()
        tables = table_begins.tables_of(module, rows.numel()) or [
            torch.zeros(1, dtype=torch.float64)
        ]
        leaves: dict[str, Tensor | None] = {"x": leaf, "the rows": tables[0]}
        return seen | common.gradients(lambda: module.embed(leaf, at(leaf, *given)), leaves)

    yield Case("embed(x)", partial(ask, given=()))
    yield Case("embed(x, positions)", partial(ask, given=(positions,)))


def _kept(module: Any, rows: Tensor) -> bool:
    """Whether the table still holds these rows, in their dtype."""
    tables = table_begins.tables_of(module, rows.numel())
    return all(e.dtype == rows.dtype and torch.equal(e.reshape(rows.shape), rows) for e in tables)


def _reached(module: Any, size: int, leaf: Tensor, *given: Tensor) -> list[str]:
    found = module.embed(leaf, at(leaf, *given))
    if found.requires_grad:
        found.double().sum().backward()
    leaves = {"x": [leaf], "the rows": table_begins.tables_of(module, size)}
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
        in_training = refusal(partial(module.embed, x.clone(), at(x, *given)), **sizes)
        after = refusal(partial(module.eval().embed, x.clone(), at(x, *given)), **sizes)
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
        shapes = ((), (length,), (batch, length))  # of the positions; () for none
        for shape in shapes:
            given = (common.random_positions(rng, rows, *shape),) if shape else ()
            words = f"embed(x, positions {shape})" if given else "embed(x)"
            label = f"{words} with x of shape {tuple(x.shape)} and max_len={rows}"
            yield Case(label, partial(ask, x=x, max_len=rows, given=given))


table = Exercise(
    "table",
    LearnedEncoding,
    (
        Part("adds row p at position p", 0.5, _rows_added),
        Part("adds the rows it is told to", 0.5, _rows_chosen),
        Part("the rows are trained", 0.5, _trained),
        Part("the rows start with the std asked for", 0.5, table_begins.started),
        Part("dtype and gradients", 0.5, _backwards),
        Part("says when there is no row", 0.5, _too_long),
    ),
    forbidden=(encodings.Learned, absolute.Table),
    module=__name__,
)
