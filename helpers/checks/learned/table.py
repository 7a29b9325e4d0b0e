"""Unit 03, “A table that learns”: what it asks, and what people write instead.

Mistakes about how the rows are kept and begin are in table_start.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor, nn

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.learned import common
from helpers.encodings import Encoding, additive


def _input(rng: Random) -> Tensor:
    """(B, T, D) with B, T and D all different."""
    return common.normal_numbers(rng, rng.randint(2, 5), rng.randint(6, 12), rng.randint(14, 20))


def _table_with(answer: Answer, rows: Tensor) -> Any:
    """The answer's module, with `rows` put in the place of what it has drawn."""
    module = answer(d_model=rows.shape[1], max_len=len(rows))
    for table in _tables(module, rows.numel()):
        table.data = rows.reshape(table.shape).clone()
    return module


def _tables(module: Any, size: int) -> list[Tensor]:
    """Whatever the module keeps that has `size` numbers, trained or not."""
    kept = [*module.parameters(), *module.buffers(), *vars(module).values()]
    return [each for each in kept if isinstance(each, Tensor) and each.numel() == size]


def _rows_added(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    rows = common.normal_numbers(rng, 40, x.shape[2])
    yield Case(
        f"embed(x) with x of shape {tuple(x.shape)} and given rows",
        lambda answer: _table_with(answer, rows).embed(x.clone()),
    )


def _rows_chosen(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    rows = common.normal_numbers(rng, 40, x.shape[2])
    positions = common.random_positions(rng, 40, *x.shape[:2])

    def ask(answer: Answer, chosen: Tensor) -> Any:
        return _table_with(answer, rows).embed(x.clone(), chosen.clone())

    for label, chosen in (("of its own", positions), ("like the others", positions[0])):
        words = f"embed(x, positions), each sequence with positions {label}, {tuple(chosen.shape)}"
        yield Case(words, partial(ask, chosen=chosen))


def _trained(rng: Random) -> Iterator[Case]:
    x = _input(rng)

    def ask(answer: Answer) -> dict[str, bool]:
        module = answer(d_model=x.shape[2], num_heads=1, max_len=40)
        given = x.clone()
        result = module.embed(given)
        weights = [p for p in module.parameters() if p.requires_grad]
        seen = {
            "it is an Encoding that knows its length": isinstance(module, encodings.Encoding)
            and getattr(module, "max_len", 0) == 40,
            "the input stays as it was": torch.equal(given, x),
            "the result can send a gradient back": result.requires_grad,
            "the table is in state_dict(), so it is saved": bool(module.state_dict()),
            "the table is a Parameter": bool(weights),
            "a Parameter has max_len rows of width D, and nothing else is trained": [
                p.numel() for p in weights
            ]
            == [40 * x.shape[2]],
            "the precision stays that of x": result.dtype == x.dtype,
        }
        if result.requires_grad:
            result.square().sum().backward()
        seen["the loss reaches the rows"] = any(p.grad is not None for p in weights)
        return seen

    yield Case("the module", ask)


def _started(rng: Random) -> Iterator[Case]:
    max_len, width = rng.randint(60, 90), rng.randint(40, 60)

    def ask(answer: Answer, **std: float) -> dict[str, Any]:
        module = answer(d_model=width, max_len=max_len, **std)
        wanted = std.get("std", 0.02)
        tables = _tables(module, max_len * width)
        if not tables:
            return {"there are max_len rows of width D": False}
        rows = tables[0].detach().reshape(max_len, width)
        return {
            "there are max_len rows of width D": True,
            "standard deviation of all its numbers": common.about(rows.std().item(), wanted),
            "their mean is nearly 0": abs(rows.mean().item()) < wanted / 5,
            "no two rows are alike": len(rows.unique(dim=0)) == len(rows),
        }

    yield Case("a new module without std", ask)
    std = rng.choice((0.1, 0.3, 0.5))
    yield Case(f"a new module with std={std:g}", partial(ask, std=std))


def _too_long(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    length = x.shape[1]

    def ask(answer: Answer, max_len: int) -> str:
        module = answer(d_model=x.shape[2], max_len=max_len)
        try:
            module.embed(x.clone())
        except NotImplementedError:
            raise
        except ValueError:
            return "ValueError"
        except Exception:
            return "an error of another kind"
        return "no error"

    for max_len in (length - rng.randint(1, 3), length):
        yield Case(f"T={length} with max_len={max_len}", partial(ask, max_len=max_len))


table = Exercise(
    "table",
    encodings.Learned,
    (
        Part("adds row p at position p", 0.5, _rows_added),
        Part("adds the rows it is told to", 0.5, _rows_chosen),
        Part("the rows are trained", 1, _trained),
        Part("the rows start with the std asked for", 0.5, _started),
        Part("says when there is no row", 0.5, _too_long),
    ),
    forbidden=(additive.Table,),
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
        return x + self.rows(x, positions)


@table.mistake(
    "Your first token gets row 1, and row 0 is never used. Positions count from 0.",
    loses=("adds row p at position p", "says when there is no row"),
)
class rows_counted_from_one(RightTable):
    def rows(self, x, positions):
        wanted = torch.arange(1, x.shape[1] + 1) if positions is None else positions
        return self.table[wanted]


@table.mistake(
    "The rows run along the batch: all tokens of a sequence get the same row. x is (B, T, D); "
    "positions are its second axis.",
    loses="adds row p at position p",
)
class rows_along_the_batch(RightTable):
    def rows(self, x, positions):
        return self.table[: x.shape[0], None] if positions is None else self.table[positions]


@table.mistake(
    "You add the whole table, which has max_len rows; a shorter text needs only as many as it "
    "has tokens.",
    loses=("adds row p at position p", "the rows are trained"),
)
class rows_all_added_at_once(RightTable):
    def rows(self, x, positions):
        return self.table if positions is None else self.table[positions]


@table.mistake(
    "You take the last axis of x for its length. x is (B, T, D): the last axis is the width.",
    loses=("adds row p at position p", "the rows are trained", "says when there is no row"),
)
class rows_counted_by_the_width(RightTable):
    def embed(self, x, positions=None):
        length = x.shape[-1]
        self.check(length)
        return x + (self.table[:length] if positions is None else self.table[positions])


@table.mistake(
    "Your table is (D, max_len). Indexing takes from the first axis, and there the positions "
    "should be.",
    loses=(
        "adds row p at position p",
        "adds the rows it is told to",
        "the rows are trained",
        "says when there is no row",
    ),
)
class rows_and_columns_swapped(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(d_model, max_len) * std


@table.mistake(
    "Your Parameter is one vector, added at every position alike. Each position has a row of "
    "its own.",
    loses=(
        "adds row p at position p",
        "adds the rows it is told to",
        "the rows are trained",
        "the rows start with the std asked for",
    ),
)
class rows_are_one_row(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(d_model) * std

    def rows(self, x, positions):
        return self.table


@table.mistake(
    "The argument positions changes nothing. Where it is given, token t gets the row "
    "positions[…, t].",
    loses="adds the rows it is told to",
)
class rows_told_are_ignored(RightTable):
    def rows(self, x, positions):
        return self.table[: x.shape[1]]


@table.mistake(
    "You return the rows alone: the tokens themselves are gone. Return x plus the rows.",
    loses=("adds row p at position p", "adds the rows it is told to"),
)
class rows_without_the_tokens(RightTable):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return self.rows(x, positions).expand_as(x)


@table.mistake(
    "x += … changes the caller's tensor. Return a new one: x + …", loses="the rows are trained"
)
class rows_added_in_place(RightTable):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        x += self.rows(x, positions)
        return x


@table.mistake(
    "max_len rows are enough for T = max_len; only a longer text has no row for its end.",
    loses="says when there is no row",
)
class rows_missing_one_too_early(RightTable):
    def check(self, length):
        if length >= self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")


@table.mistake(
    "A text that is too long ends in an error of another kind. Compare T with max_len first, "
    "and raise a ValueError that names both.",
    loses="says when there is no row",
)
class rows_missing_fail_by_accident(RightTable):
    def check(self, length):
        pass


@table.mistake(
    "Beyond max_len there is no error: rows are repeated, left out or made up. Raise a "
    "ValueError instead.",
    loses="says when there is no row",
)
class rows_missing_begin_again(RightTable):
    def check(self, length):
        pass

    def rows(self, x, positions):
        wanted = torch.arange(x.shape[1]) if positions is None else positions
        return self.table[wanted % self.max_len]
