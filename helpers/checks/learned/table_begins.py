"""Unit 03, “A table that learns”: where a module keeps its rows, and how these begin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case
from helpers.checks.learned import common


def tables_of(module: Any, size: int) -> list[Tensor]:
    """What the module keeps that has `size` numbers: its Parameters, else whatever there is."""
    for kept in (module.parameters(), module.buffers(), vars(module).values()):
        if found := [each for each in kept if isinstance(each, Tensor) and each.numel() == size]:
            return found
    return []


def size_of(module: Any, max_len: int, width: int) -> dict[str, Any]:
    """The shape of its table, whatever axes of length 1 it has; else those of what it has."""
    shapes = [tuple(each.shape) for each in module.parameters()]
    found: Any = shapes[0] if len(shapes) == 1 else shapes or "no Parameter"
    right = tables_of(module, max_len * width)
    return {"the shape of its table, (max_len, d_model)": (max_len, width) if right else found}


def started(rng: Random) -> Iterator[Case]:
    max_len, width = rng.randint(210, 250), 4 * rng.randint(40, 47)

    def ask(answer: Answer, **std: float) -> dict[str, Any]:
        modules = [answer(width, 4, max_len, **std) for _ in range(2)]
        tables = [table for each in modules for table in tables_of(each, max_len * width)[:1]]
        rows = tables[0].detach().reshape(max_len, width) if tables else torch.zeros(1, 1)
        return {
            **size_of(modules[0], max_len, width),
            **common.begins(tables or [rows], std.get("std", 0.02)),
            "rows that differ in more than signs": len(rows.abs().unique(dim=0)),
            "columns that differ in more than signs": len(rows.abs().unique(dim=1).T),
            "each row has the mean 0": _centred(rows, std.get("std", 0.02)),
            "each column has the mean 0": _centred(rows.T, std.get("std", 0.02)),
            "the lengths of the rows vary as random draws do": _spread(rows, std.get("std", 0.02)),
            "the lengths of the columns vary as random draws do": _spread(
                rows.T, std.get("std", 0.02)
            ),
        }

    yield Case("the numbers of a new module without std", ask)
    choices = ((0.001, 0.005, 0.01), (0.1, 0.2, 0.3, 0.5), (1.5, 2.0, 3.0))
    for std in map(rng.choice, choices):
        yield Case(f"the numbers of a new module with std={std:g}", partial(ask, std=std))
    yield _many_numbers(rng)


def _many_numbers(rng: Random) -> Case:
    """So many that some lie beyond four deviations: 25 are expected there, or more."""
    max_len, width = rng.randint(530, 560), 4 * rng.randint(190, 200)

    def ask(answer: Answer) -> dict[str, Any]:
        module = answer(width, 4, max_len)
        tables = tables_of(module, max_len * width)[:1]
        rows = tables[0].detach().reshape(max_len, width) if tables else torch.zeros(2, 2)
        lengths = torch.stack([rows.norm(dim=1), torch.arange(len(rows))])
        in_order = torch.corrcoef(lengths)[0, 1].abs() > common.FARTHEST / math.sqrt(max_len)
        return {
            **size_of(module, max_len, width),
            "some of them lie beyond 4 · 0.02": bool((rows.abs() > 4 * 0.02).any()),
            "some rows are 0": bool((rows == 0).all(1).any()),
            "two rows are more alike than by chance": _alike(rows),
            "two columns are more alike than by chance": _alike(rows.T),
            "the rows are sorted by their lengths": bool(in_order),
        }

    return Case(f"the {max_len * width:,} numbers of a new module with max_len={max_len}", ask)


def _alike(rows: Tensor) -> bool:
    """Whether some two lie nearer to one line than two of independent numbers ever do.

    Beyond 7 deviations comes one pair in 400 thousand million, and there are 300 thousand pairs.
    """
    units = rows / rows.norm(dim=1, keepdim=True).clamp(min=1e-30)
    cosines = (units @ units.T).fill_diagonal_(0)
    return bool(cosines.abs().max() > 7 / math.sqrt(rows.shape[1]))


def _spread(rows: Tensor, std: float) -> bool:
    """Whether their lengths lie about as far apart as those of rows of independent numbers."""
    return bool(0.5 < rows.norm(dim=1).std() / (std / math.sqrt(2)) < 1.5)


def _centred(rows: Tensor, std: float) -> bool:
    """Whether their means are as near to 0 as those of independent numbers."""
    return bool((rows.mean(1).square().mean() * rows.shape[1]).sqrt() < 1.5 * std)
