"""Unit 04, “Learned vectors by offset”: how an object is built, filled and asked."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from torch import Tensor

from helpers.checks.engine import Answer, Case, digits, unchanged
from helpers.checks.positions import by
from helpers.checks.relative import common

TABLES = {"bias": "keys", "context": "values"}  # the table that a hook reads


def built(answer: Answer, tables: dict[str, Tensor], **sizes: int) -> Any:
    """The module, with known vectors in its tables."""
    module = answer(**({"d_model": 20, "max_len": 12, "k": 3} | sizes))
    fill(module, tables)
    return module


def fill(module: Any, tables: dict[str, Tensor]) -> None:
    """Put vectors into the tables, as a step of training does, where they fit."""
    for name, table in tables.items():
        if shape_of(module, name) == list(table.shape):  # copy_ would repeat a single row for all
            getattr(module, name).data.copy_(table)


def shape_of(module: Any, name: str) -> Any:
    """Rows and columns of a table, whatever axes it has in front; in words if it is none."""
    own = getattr(module, name, None)
    if not isinstance(own, Tensor):
        return f"no tensor: {type(own).__name__}" if own is not None else "there is none"
    return list(own.shape[-2:])


def told(module: Any, tables: dict[str, Tensor], ask: Callable[[], Any]) -> Any:
    """The shapes of the tables, and what `ask` finds; nothing of those that do not fit."""
    shapes = {f"the shape of self.{name}": shape_of(module, name) for name in tables}
    fit = all(shape_of(module, name) == list(table.shape) for name, table in tables.items())
    found = ask() if fit else None
    return None if fit and found is None else {**shapes, "what it gives": found}


def ask_hook(module: Any, name: str, first: Tensor, offsets: Tensor | None = None) -> Any:
    """What `bias` says to these queries, or `context` to these weights; they stay as they are."""
    given = first.clone(), None if offsets is None else offsets.clone()
    keys = first.flip(2) + 1
    told = by(*given)
    if name == "bias":
        queries = given[0], keys.clone(), given[1]
        found = module.bias(*queries[:2], told)
        unchanged(queries, (first, keys, offsets))
    else:
        found = module.context(given[0], told)
        unchanged(given, (first, offsets))
    return _thinned(found)


def _thinned(found: Any) -> Any:
    """Of a long text a few queries: all would be more than a sandbox may show."""
    if isinstance(found, Tensor) and found.dim() == 4 and found.shape[2] > 100:
        return found[:, :, :: found.shape[2] // 12]
    return found


def first_for(rng: Random, name: str, batch: int, heads: int, length: int) -> Tensor:
    """Queries as attention makes them, by a transpose; or weights."""
    if name == "context":
        return common.attention_weights(rng, batch, heads, length)
    return common.normal_numbers(rng, batch, length, heads, 20 // heads).transpose(1, 2)


def table_for(rng: Random, name: str, heads: int, k: int = 3) -> dict[str, Tensor]:
    return {TABLES[name]: common.normal_numbers(rng, 2 * k + 1, 20 // heads)}


def fine(name: str, first: Tensor, table: dict[str, Tensor]) -> Case:
    def hook(answer: Answer) -> Answer:
        module = built(answer, table, num_heads=first.shape[1]).double()
        fits = shape_of(module, TABLES[name]) == list(table[TABLES[name]].shape)
        return lambda given: ask_hook(module, name, given) if fits else None

    return digits(f"{name} with B={len(first)}, H={first.shape[1]}", first, of=hook)


def fine_table(name: str, first: Tensor, table: dict[str, Tensor]) -> Case:
    def hook(answer: Answer) -> Answer:
        module = built(answer, table, num_heads=first.shape[1]).double()

        def ask(vectors: Tensor) -> Any:
            fill(module, {TABLES[name]: vectors})
            return ask_hook(module, name, first.double())

        return ask

    return digits(f"{name} by a table of other numbers", table[TABLES[name]], of=hook)
