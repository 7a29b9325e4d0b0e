"""Unit 03, “A table that learns”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.engine import Answer, Case, CheckError, Exercise, Part, call, refusal
from helpers.checks.engine.hints import IN_PLACE
from helpers.checks.learned import common
from helpers.checks.positions import embed
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


def _table_of(module: Any, max_len: int, width: int) -> Tensor:
    """Return what the module keeps that has a table's numbers, a Parameter if there is one."""
    for kept in (module.parameters(), module.buffers(), vars(module).values()):
        for each in kept:
            if isinstance(each, Tensor) and each.numel() == max_len * width:
                return each
    shapes = [tuple(each.shape) for each in module.parameters()]
    raise CheckError(f"expected a Parameter of shape {(max_len, width)}, found {shapes}")


def _with_rows(answer: Answer, rows: Tensor) -> Any:
    """Return the answer's module, with `rows` in the place of what it has drawn."""
    module = common.made(answer, d_model=rows.shape[1], max_len=len(rows)).to(rows.dtype)
    table = _table_of(module, *rows.shape)
    table.data = rows.reshape(table.shape).clone()
    return module


def _embedded(module: Any, *arguments: Tensor) -> Any:
    """Return what embed says of x and perhaps of positions, if it leaves them as they are."""
    return call(*arguments).ask(embed(module))


def _inputs(rng: Random) -> Iterator[tuple[Tensor, Tensor]]:
    """Draw x (B, T, D) and rows, more than T: each axis is the longest in turn, or T = 1."""
    a, b, c = rng.randint(2, 4), rng.randint(5, 7), rng.randint(8, 11)
    for shape, more in (
        *(((a, b, c), 4), ((c, a, b), 1), ((b, c, a), 2), ((1, 1, c), 3), ((b, b, b), 1)),
        ((rng.randint(17, 20), 9, rng.randint(65, 80)), 1),
        ((2, rng.randint(515, 540), 6), 1),  # beyond the default
    ):
        yield (
            draws.normal(rng, *shape),
            draws.normal(rng, shape[1] + more, shape[2]),
        )


def _rows_added(rng: Random) -> Iterator[Case]:
    def ask(answer: Answer, x: Tensor, rows: Tensor) -> Any:
        module = _with_rows(answer, rows)
        seen = {
            "the result": _embedded(module, x),
            "the result for another x of this shape": _embedded(module, x.flip(0, 1)),
        }
        table = _table_of(module, *rows.shape)
        table.data = rows.flip(0).reshape(table.shape)
        return seen | {"the result with other rows, after eval()": _embedded(module.eval(), x)}

    for x, rows in _inputs(rng):
        words = f"embed(x) with x of shape {tuple(x.shape)} and {len(rows)} given rows"
        yield Case(words, partial(ask, x=x, rows=rows))


def _rows_chosen(rng: Random) -> Iterator[Case]:
    def ask(answer: Answer, x: Tensor, rows: Tensor, positions: Tensor) -> Any:
        module = _with_rows(answer, rows)
        return {
            "positions (B, T), each sequence its own": _embedded(module, x, positions),
            "positions (T,), the same for all": _embedded(module, x, positions[0]),
            "other positions of this shape": _embedded(module, x, len(rows) - 1 - positions[0]),
            "positions of queries where keys are cached": module.embed(
                x.clone(), encodings.Positions(positions[0], torch.arange(len(rows)))
            ),
        }

    for x, rows in _inputs(rng):
        positions = draws.integers(rng, len(rows), *x.shape[:2])
        words = f"embed(x, positions) with x of shape {tuple(x.shape)} and {len(rows)} given rows"
        yield Case(words, partial(ask, x=x, rows=rows, positions=positions))


def _trained(rng: Random) -> Iterator[Case]:
    x, rows = next(_inputs(rng))

    def ask(answer: Answer) -> dict[str, Any]:
        module = common.made(answer, d_model=rows.shape[1], max_len=len(rows))
        return {
            "it is an Encoding": isinstance(module, encodings.Encoding),
            "its rows are kept as": common.kept_as(module, _table_of(module, *rows.shape)),
            "numbers in each Parameter": [each.numel() for each in module.parameters()],
            "a step of gradient descent changes what embed adds": common.learns(
                module, lambda: embed(module)(x.clone())
            ),
        }

    yield Case("a new module", ask)


def _begins(rng: Random) -> Iterator[Case]:
    max_len, width = rng.randint(210, 250), 4 * rng.randint(40, 47)

    def ask(answer: Answer, **std: float) -> dict[str, Any]:
        modules = [answer(width, 4, max_len, **std) for _ in range(2)]
        tables = [_table_of(each, max_len, width) for each in modules]
        return common.begins(tables, std.get("std", 0.02))

    yield Case("the numbers of a new module without std", ask)
    for std in (rng.choice((0.001, 0.005, 0.01)), rng.choice((0.1, 0.3, 2.0))):
        yield Case(f"the numbers of a new module with std={std:g}", partial(ask, std=std))


def _backwards(rng: Random) -> Iterator[Case]:
    x, rows = next(_inputs(rng))

    def ask(answer: Answer, given: tuple[Tensor, ...]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for of_rows, of_x in (
            (torch.float32, torch.bfloat16),
            (torch.bfloat16, torch.float32),
            (torch.float64, torch.float32),
            (torch.float64, torch.float64),
        ):
            module, leaf = _with_rows(answer, rows.to(of_rows)), x.to(of_x, copy=True)
            result = embed(module)(leaf.requires_grad_(), *given)
            if result.requires_grad:
                result.sin().sum().backward()
            own = _table_of(module, *rows.shape)
            of_own = own.grad if own.grad is None else own.grad.reshape(rows.shape)
            words = f"where x has {of_x} and the rows have {of_rows}".replace("torch.", "")
            seen[f"dtype of the result {words}"] = str(result.dtype)
            seen[f"dtype of the rows afterwards {words}"] = str(own.dtype)
            if of_x != torch.bfloat16:  # where the order of two roundings may differ
                seen[f"the result {words}"] = result
        return seen | {"the gradient of x": leaf.grad, "the gradient of the rows": of_own}

    positions = draws.integers(rng, len(rows), *x.shape[:2])
    yield Case("embed(x)", partial(ask, given=()))
    yield Case("embed(x, positions)", partial(ask, given=(positions,)))


def _too_long(rng: Random) -> Iterator[Case]:
    """T is above max_len where B and D are below, and the other way round."""

    def ask(answer: Answer, x: Tensor, max_len: int, given: tuple[Tensor, ...]) -> dict[str, Any]:
        module = common.made(answer, d_model=x.shape[2], max_len=max_len)
        return refusal(partial(embed(module), x, *given), T=x.shape[1], max_len=max_len)

    rows = rng.randint(6, 8)
    for batch, length, width in ((3, rows + 1, 4), (2, 2 * rows, 5), (rows + 2, rows, rows + 3)):
        x = draws.normal(rng, batch, length, width)
        for shape in ((), (length,), (batch, length)):  # of the positions; () for none
            given = (draws.integers(rng, rows, *shape),) if shape else ()
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
        Part("the rows start with the std asked for", 0.5, _begins),
        Part("dtype and gradients", 0.5, _backwards),
        Part("says when there is no row", 0.5, _too_long),
    ),
    forbidden=(encodings.Learned, absolute.Table),
    generic={"neither $x$ nor `positions` is changed": IN_PLACE},
    module=__name__,
)
