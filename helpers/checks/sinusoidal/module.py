"""Unit 02, “The module”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor, nn

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.encodings import Encoding


def _input(rng: Random) -> Tensor:
    """(B, T, D) with B, T and D all different."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(
        rng.randint(2, 5), rng.randint(6, 12), 2 * rng.randint(7, 10), generator=draw
    )


def _rows_added(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    yield Case(
        f"embed(x) with x of shape {tuple(x.shape)}",
        lambda answer: answer(d_model=x.shape[2], max_len=40).embed(x.clone()),
    )


def _rows_chosen(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    draw = Generator().manual_seed(rng.randrange(2**31))
    positions = torch.randint(40, x.shape[:2], generator=draw)

    def ask(answer: Answer, chosen: Tensor) -> Any:
        return answer(d_model=x.shape[2], max_len=40).embed(x.clone(), chosen)

    for label, chosen in (("of its own", positions), ("like the others", positions[0])):
        words = f"embed(x, positions), each sequence with positions {label}, {tuple(chosen.shape)}"
        yield Case(words, partial(ask, chosen=chosen))


def _cached(rng: Random) -> Iterator[Case]:
    x = _input(rng)

    def ask(answer: Answer) -> dict[str, bool]:
        module = answer(d_model=x.shape[2], num_heads=2, max_len=40)
        given = x.clone()
        results = [module.embed(given), module.embed(given, torch.arange(x.shape[1]))]
        table = [t for t in vars(module).values() if isinstance(t, Tensor)]
        moving = [*module.buffers(), *module.parameters()]
        seen = {
            "it is an Encoding that knows its heads": isinstance(module, encodings.Encoding)
            and getattr(module, "num_heads", 0) == 2,
            "the precision stays that of x": all(y.dtype == x.dtype for y in results),
            "the input stays as it was": torch.equal(given, x),
            "there is nothing to train": not any(p.requires_grad for p in module.parameters()),
            "the table is kept": bool(table or moving),
            "the table is a buffer": bool(list(module.buffers())),
        }
        module.to(torch.float64)
        moved = [*module.buffers(), *module.parameters()]
        seen["the table moves with the module"] = any(t.dtype == torch.float64 for t in moved)
        before = module.embed(x.double()).clone()
        for buffer in module.buffers():
            buffer.zero_()
        seen["the rows come from the buffer"] = not torch.equal(module.embed(x.double()), before)
        return seen

    yield Case("the module", ask)


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
        except Exception as error:
            return type(error).__name__
        return "no error"

    for max_len in (length - rng.randint(1, 3), length):
        label = f"T={length} with max_len={max_len}"
        yield Case(label, partial(ask, max_len=max_len))


module = Exercise(
    "module",
    encodings.Sinusoidal,
    (
        Part("adds row p at position p", 0.5, _rows_added),
        Part("adds the rows it is told to", 0.5, _rows_chosen),
        Part("keeps the table as a buffer", 0.5, _cached),
        Part("says when a sequence is too long", 0.5, _too_long),
    ),
)


class RightModule(Encoding):
    """The right module, cut into pieces so that each mistake shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512, base=10_000.0):
        super().__init__(d_model, num_heads, max_len)
        self.keep(encodings.sinusoidal_table(max_len, d_model, base).float())

    def keep(self, table):
        self.register_buffer("table", table)

    def check(self, length):
        if length > self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")

    def rows(self, x, positions):
        return self.table[: x.shape[1]] if positions is None else self.table[positions]

    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x + self.rows(x, positions)


@module.mistake(
    "The rows run along the batch: all tokens of a sequence get the same row. x is (B, T, D); "
    "positions are its second axis.",
    loses="adds row p at position p",
)
class positions_along_the_batch(RightModule):
    def rows(self, x, positions):
        return self.table[: x.shape[0], None] if positions is None else self.table[positions]


@module.mistake(
    "table[T − 1] is a single row, added to every token alike. Take the first T: table[:T].",
    loses="adds row p at position p",
)
class one_row_for_every_position(RightModule):
    def rows(self, x, positions):
        return self.table[x.shape[1] - 1 if positions is None else positions]


@module.mistake(
    "The argument positions changes nothing. Where it is given, token t gets the row "
    "positions[…, t].",
    loses="adds the rows it is told to",
)
class positions_given_are_ignored(RightModule):
    def rows(self, x, positions):
        return self.table[: x.shape[1]]


@module.mistake(
    "You return the rows alone: the tokens themselves are gone. Return x plus the rows.",
    loses=("adds row p at position p", "adds the rows it is told to"),
)
class table_instead_of_the_sum(RightModule):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return self.rows(x, positions).expand_as(x)


@module.mistake(
    "You multiply x by √D. The paper does that in its embedding layer, before the encoding; "
    "this module only adds.",
    loses=("adds row p at position p", "adds the rows it is told to"),
)
class input_scaled_as_well(RightModule):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x * x.shape[2] ** 0.5 + self.rows(x, positions)


@module.mistake(
    "The table is an ordinary attribute, so model.to(device) leaves it behind. Use "
    "register_buffer.",
    loses="keeps the table as a buffer",
)
class table_as_a_plain_tensor(RightModule):
    def keep(self, table):
        self.table = table


@module.mistake(
    "As a Parameter the table is trained and is sinusoidal no longer. A fixed table is a buffer.",
    loses="keeps the table as a buffer",
)
class table_as_a_parameter(RightModule):
    def keep(self, table):
        self.table = nn.Parameter(table)


@module.mistake(
    "Your rows are float64, and so is x plus the rows: the next layer will not take it. Keep "
    "them as .float().",
    loses="keeps the table as a buffer",
)
class rows_in_double_precision(RightModule):
    def keep(self, table):
        self.register_buffer("table", table.double())


@module.mistake(
    "max_len rows are enough for T = max_len; only a longer sequence is too long.",
    loses="says when a sequence is too long",
)
class too_long_one_too_early(RightModule):
    def check(self, length):
        if length >= self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")


@module.mistake(
    "x += … changes the caller's tensor. Return a new one: x + …",
    loses="keeps the table as a buffer",
)
class input_changed_in_place(RightModule):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        x += self.rows(x, positions)
        return x


@module.mistake(
    "A sequence that is too long ends in an error of another kind. Compare T with max_len "
    "first, and raise a ValueError that names both.",
    loses="says when a sequence is too long",
)
class too_long_fails_by_accident(RightModule):
    def check(self, length):
        pass


@module.mistake(
    "Beyond max_len there is no error: rows are repeated, left out or made up. Raise a "
    "ValueError instead.",
    loses="says when a sequence is too long",
)
class too_long_starts_again(RightModule):
    def check(self, length):
        pass

    def rows(self, x, positions):
        wanted = torch.arange(x.shape[1]) if positions is None else positions
        return self.table[wanted % self.max_len]
