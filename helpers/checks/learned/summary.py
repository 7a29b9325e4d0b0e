"""Unit 03, “What a sweep says”: what it asks.

The sweeps are made up in summary_runs.py; mistakes are in summary_wrong.py, those about
the limit in summary_above.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import pandas as pd
import torch

from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.learned.summary_runs import equal_means, made_up, nearly_equal_means

SMALL = 1024  # a power of two, so that equal means stay equal


def summarised(runs: pd.DataFrame, length: int) -> pd.DataFrame:
    """Per encoding at `length`: mean and sample deviation over seeds, and mean of loss − limit."""
    here = runs[runs["length"] == length]
    here = here.assign(gap=here["loss"] - here["limit"])
    grouped = here.groupby("encoding")
    columns = {"mean": grouped["loss"].mean(), "std": grouped["loss"].std()}
    return pd.DataFrame(columns | {"above": grouped["gap"].mean()}).sort_values("mean")


def _column(
    answer: Answer, runs: pd.DataFrame, length: int, name: str, times: int = 1
) -> dict[str, Any]:
    """One column of the answer, by encoding; `times` it, where losses are as much smaller."""
    found = answer(runs.copy(), length)
    table = found if isinstance(found, pd.DataFrame) else pd.DataFrame()
    labels = [str(label) for label in table.index]
    order = sorted(range(len(labels)), key=labels.__getitem__)
    has = name in table.columns
    return {
        "the type of the result": type(found).__name__,
        "its index, sorted": sorted(labels),
        f"it has a column {name!r}": has,
        "it holds": _kind(table[name]) if has else "nothing",
        name: _numbers(table[name])[order] * times if has else "missing",
    }


def _kind(column: Any) -> str:
    """What a column holds: texts look like numbers where a table is shown."""
    some = isinstance(column, pd.Series) and any(isinstance(each, str) for each in column)
    return "texts" if some else "numbers"


def _numbers(column: Any) -> torch.Tensor:
    """The numbers of a column; what is none is nan."""
    try:
        return torch.tensor(column.to_numpy(float))
    except (TypeError, ValueError):
        return torch.tensor(pd.to_numeric(column, errors="coerce").to_numpy(float))


def _summary_column(rng: Random, name: str) -> Iterator[Case]:
    for encodings in (5, 13):
        runs, length, other = made_up(rng, encodings)
        words = f"column {name!r} of a synthetic sweep at length {length}"
        yield Case(words, partial(_column, runs=runs, length=length, name=name))
        if encodings == 5:
            alike = equal_means(runs, length)
            alike[["loss", "limit"]] /= SMALL
            words = f"{SMALL:,} times column {name!r} of a sweep of small losses, two means equal"
            yield Case(words, partial(_column, runs=alike, length=length, name=name, times=SMALL))
        if name == "mean" and encodings == 5:
            words = f"column {name!r} at length {other}, at which each encoding was measured"
            yield Case(words, partial(_column, runs=runs, length=other, name=name))
        if name == "above":  # where it is tempting to add a column to what is given
            yield Case("runs afterwards", partial(_unchanged, runs=runs, length=length))


def _unchanged(answer: Answer, runs: pd.DataFrame, length: int) -> dict[str, Any]:
    given = runs.copy()
    answer(given, length)
    return {
        "its columns": [str(each) for each in given.columns],
        "the name of its index": str(given.index.name),
        "the index of its first rows": [str(each) for each in given.index[:5]],
        "nothing in it has changed": given.equals(runs),
    }


def _best_first(rng: Random) -> Iterator[Case]:
    for encodings in (13, 5):
        runs, length, other = made_up(rng, encodings)
        words = f"the table of a synthetic sweep at length {length}"
        yield Case(words, partial(_table, runs=runs, length=length))
    near = nearly_equal_means(runs, length)
    words = f"the table of another sweep of this size at length {length}, two pairs of means equal"
    yield Case(f"{words} but for 0.00001", partial(_table, runs=near, length=length))
    words = f"the table at length {other}, at which each encoding was measured"
    yield Case(words, partial(_table, runs=runs, length=other))


def _table(answer: Answer, runs: pd.DataFrame, length: int) -> dict[str, Any]:
    """The names of the answer's rows, in order, and of its columns."""
    found = answer(runs.copy(), length)
    table = found if isinstance(found, pd.DataFrame) else pd.DataFrame()
    return {
        "the type of the result": type(found).__name__,
        "its index": [str(each) for each in table.index],
        "its columns, sorted": sorted(str(each) for each in table.columns),
    }


summary = Exercise(
    "summary",
    summarised,
    (
        Part("mean over seeds", 0.5, partial(_summary_column, name="mean")),
        Part("standard deviation over seeds", 0.5, partial(_summary_column, name="std")),
        Part("nats above the limit", 0.5, partial(_summary_column, name="above")),
        Part("the best first", 0.5, _best_first),
    ),
    explains=(
        "A sweep is a table",
        "Write `summary(runs, length)`.",
    ),
    module=__name__,
)
