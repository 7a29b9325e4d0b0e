"""Unit 03, learned encodings: what its five exercises ask and look at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Tensor

from helpers import encodings
from helpers.checks.exercise import Answer, Case, Exercise, Part, call
from helpers.checks.learned_draws import drawn, near, places
from helpers.checks.learned_index import fourier, index_mlp
from helpers.checks.mistakes import learned as mistakes
from helpers.encodings import additive

__all__ = ["fourier", "index_mlp", "stretch", "summary", "table"]


def _input(rng: Random) -> Tensor:
    """(B, T, D) with B, T and D all different."""
    return drawn(rng, rng.randint(2, 5), rng.randint(6, 12), rng.randint(14, 20))


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
    rows = drawn(rng, 40, x.shape[2])
    yield Case(
        f"embed(x) with x of shape {tuple(x.shape)} and given rows",
        lambda answer: _table_with(answer, rows).embed(x.clone()),
    )


def _rows_chosen(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    rows = drawn(rng, 40, x.shape[2])
    positions = places(rng, 40, *x.shape[:2])

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
            "standard deviation of all its numbers": near(rows.std().item(), wanted),
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
    mistakes.TABLE,
    forbidden=(additive.Table,),
)


def stretched(table: Tensor, length: int) -> Tensor:
    """`table` (T, D) read at `length` places from its first row to its last; (length, D)."""
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    share = (places - low)[:, None]
    return ((1 - share) * table[low] + share * table[low + 1]).to(table.dtype)


def _rows(rng: Random) -> Tensor:
    return drawn(rng, rng.randint(8, 14), rng.randint(4, 7)).double()


def _longer(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)
    yield call(rows, 2 * len(rows))
    yield call(rows, len(rows) + rng.randint(2, 5))


def _ends(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)
    length = 2 * len(rows) + rng.randint(2, 6)
    yield Case(
        f"the first and the last row of (tensor of shape {tuple(rows.shape)}, {length})",
        lambda answer: answer(rows.clone(), length)[[0, -1]],
    )
    yield call(rows, len(rows))


def _shorter(rng: Random) -> Iterator[Case]:
    rows = _rows(rng)
    steps = len(rows) - 1
    # A length at which places do not fall on old rows.
    fewer = [n for n in range(steps - 4, steps) if steps % n]
    yield call(rows, rng.choice(fewer) + 1)


stretch = Exercise(
    "stretch",
    stretched,
    (
        Part("longer than the table", 1, _longer),
        Part("the ends, and the same length", 0.5, _ends),
        Part("shorter than the table", 0.5, _shorter),
    ),
    mistakes.STRETCH,
    forbidden=(F.interpolate, encodings.Learned),
)


def summarised(runs: pd.DataFrame, length: int) -> pd.DataFrame:
    """Per encoding at `length`: mean and sample deviation over seeds, and mean of loss − limit."""
    here = runs[runs["length"] == length]
    here = here.assign(gap=here["loss"] - here["limit"])
    grouped = here.groupby("encoding")
    columns = {"mean": grouped["loss"].mean(), "std": grouped["loss"].std()}
    return pd.DataFrame(columns | {"above": grouped["gap"].mean()}).sort_values("mean")


def _runs(rng: Random) -> tuple[pd.DataFrame, int]:
    """A made-up sweep in no order, and a length in it; seeds and losses differ by encoding."""
    lengths = rng.sample((16, 24, 32, 48, 64), 3)
    rows = []
    names = rng.sample(("apple", "birch", "cedar", "elder", "maple", "olive"), 4)
    for level, name in enumerate(names, 1):
        for seed in range(rng.randint(3, 5)):
            for length in lengths:
                loss = level + rng.gauss(0, 0.1) + length / 50
                limit = 0.2 + length / 200 + seed / 40
                row = {"encoding": name, "seed": seed, "steps": 100, "length": length}
                rows.append(row | {"loss": loss, "limit": limit, "accuracy": rng.random()})
    rng.shuffle(rows)
    return pd.DataFrame(rows), lengths[1]


def _column(answer: Answer, runs: pd.DataFrame, length: int, name: str) -> dict[str, Any]:
    """One column of the answer, by encoding."""
    found = answer(runs.copy(), length)
    table = found if isinstance(found, pd.DataFrame) else pd.DataFrame()
    labels = [str(label) for label in table.index]
    order = sorted(range(len(labels)), key=labels.__getitem__)
    has = name in table.columns
    return {
        "it returns a": type(found).__name__,
        "its index, sorted": ", ".join(sorted(labels)),
        f"it has a column {name!r}": has,
        name: torch.tensor(table[name].to_numpy(float)[order]) if has else "missing",
    }


def _summary_column(rng: Random, name: str) -> Iterator[Case]:
    runs, length = _runs(rng)
    words = f"column {name!r} of a made-up sweep at length {length}"
    yield Case(words, lambda answer: _column(answer, runs, length, name))
    if name == "above":  # where it is tempting to add a column to what is given
        yield Case("runs stays as it was", lambda answer: _unchanged(answer, runs, length))


def _unchanged(answer: Answer, runs: pd.DataFrame, length: int) -> bool:
    given = runs.copy()
    answer(given, length)
    return given.equals(runs)


def _best_first(rng: Random) -> Iterator[Case]:
    runs, length = _runs(rng)

    def ask(answer: Answer) -> str:
        found = answer(runs.copy(), length)
        return (
            ", ".join(map(str, found.index))
            if isinstance(found, pd.DataFrame)
            else type(found).__name__
        )

    yield Case("encodings from the best to the worst", ask)


summary = Exercise(
    "summary",
    summarised,
    (
        Part("mean over seeds", 0.5, partial(_summary_column, name="mean")),
        Part("standard deviation over seeds", 0.5, partial(_summary_column, name="std")),
        Part("nats above the limit", 0.5, partial(_summary_column, name="above")),
        Part("the best first", 0.5, _best_first),
    ),
    mistakes.SUMMARY,
)
