"""Unit 03, “What a sweep says”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import torch

from helpers.checks.engine import Answer, Case, Exercise, Part, call

NAMES = (
    *("alibi", "cope", "fourier", "fourier, gamma 8", "learned", "learned, std 1", "none"),
    *("learned, std 0.02", "relative", "rotary", "rotary, base 500", "sinusoidal", "T5"),
)


def summarised(runs: pd.DataFrame, length: int) -> pd.DataFrame:
    """Per encoding at `length`: mean and sample deviation over seeds, and mean of loss − limit."""
    here = runs[runs["length"] == length]
    here = here.assign(gap=here["loss"] - here["limit"])
    grouped = here.groupby("encoding")
    columns = {"mean": grouped["loss"].mean(), "std": grouped["loss"].std()}
    return pd.DataFrame(columns | {"above": grouped["gap"].mean()}).sort_values("mean")


def _made_up(rng: Random, encodings: int) -> tuple[pd.DataFrame, int, int]:
    """Return a sweep in no order, and two lengths in it.

    One encoding was not measured at the first length; of another, all seeds have equal losses.
    Labels of the index are repeated, as where two sweeps are joined.
    """
    lengths = rng.sample((16, 24, 32, 48, 64), 3)
    names = rng.sample(NAMES, encodings + 1)
    rows = [row for name in names for row in _runs_of(rng, name, lengths, name == names[0])]
    rows = [row for row in rows if (row["encoding"], row["length"]) != (names[1], lengths[0])]
    rng.shuffle(rows)
    return pd.DataFrame(rows, index=[rng.randrange(len(rows)) for _ in rows]), *lengths[:2]


def _runs_of(rng: Random, name: str, lengths: list[int], alike: bool) -> Iterator[dict[str, Any]]:
    """Draw two to five seeds at each length; two with equal losses, below the limit, if `alike`."""
    level, floor = rng.uniform(7, 9), 20 if alike else rng.uniform(0.1, 5)
    for seed in rng.sample(range(20), 2 if alike else rng.randint(2, 5)):
        more = 0 if alike else rng.gauss(0, 1.5)
        limit, accuracy, steps = floor + rng.random(), rng.random(), rng.choice((100, 200, 400))
        for length in lengths:
            row = {"encoding": name, "seed": seed, "steps": steps, "length": length}
            loss = (level + more) * (1 + length / 100)
            yield row | {"loss": loss, "limit": limit + length / 200, "accuracy": accuracy}


def _order_is_its_own(here: pd.DataFrame) -> bool:
    """Whether the mean sorts the encodings as nothing else does that one could sort by."""
    here = here.assign(above=here["loss"] - here["limit"], text=here["encoding"].str.len())
    grouped = here.groupby("encoding")
    best = grouped["loss"].mean()
    others = [grouped["loss"].agg(how) for how in ("std", "min", "max", "median", "sum", "first")]
    others += [grouped[name].mean() for name in ("above", "limit", "text")]
    others += [best.astype(str), -best, -grouped["accuracy"].mean(), grouped.size()]
    orders = [each.sort_values().index.tolist() for each in others]
    return best.sort_values().index.tolist() not in [*orders, [*best.index], [*best.index][::-1]]


def _as_table(found: Any) -> pd.DataFrame:
    return found if isinstance(found, pd.DataFrame) else pd.DataFrame()


def _column(answer: Answer, runs: pd.DataFrame, length: int, name: str) -> dict[str, Any]:
    """Return one column of the answer, by encoding, if it holds numbers."""
    found = answer(runs.copy(), length)
    table = _as_table(found)
    table = table.set_axis([str(label) for label in table.index]).sort_index()
    numbers = name in table.columns and pd.api.types.is_numeric_dtype(table[name])
    return {
        "the type of the result": type(found).__name__,
        "its index, sorted": [*table.index],
        f"it has a column {name!r} of numbers": numbers,
        name: torch.tensor(np.asarray(table[name], float)) if numbers else "missing",
    }


def _columns(rng: Random, name: str) -> Iterator[Case]:
    for encodings in (5, 11):
        runs, length, other = _made_up(rng, encodings)
        for chosen in (length, other):
            words = f"column {name!r} of a sweep of {encodings} encodings at length {chosen}"
            yield Case(words, partial(_column, runs=runs, length=chosen, name=name))
        if name == "above":  # where it is tempting to add a column to what is given
            yield call(runs, length).map(lambda _table: "as before").labelled("runs afterwards")


def _best_first(rng: Random) -> Iterator[Case]:
    for encodings in (11, 5):
        while True:
            runs, *lengths = _made_up(rng, encodings)
            if _order_is_its_own(runs[runs["length"] == lengths[0]]):
                break
        for length in lengths:
            words = f"the table of a sweep of {encodings} encodings at length {length}"
            yield Case(words, partial(_table, runs=runs, length=length))


def _table(answer: Answer, runs: pd.DataFrame, length: int) -> dict[str, Any]:
    """Return the names of the answer's rows, in order, and of its columns."""
    found = answer(runs.copy(), length)
    return {
        "the type of the result": type(found).__name__,
        "its index": [str(each) for each in _as_table(found).index],
        "its columns, sorted": sorted(str(each) for each in _as_table(found).columns),
    }


summary = Exercise(
    "summary",
    summarised,
    (
        Part("mean over seeds", 0.5, partial(_columns, name="mean")),
        Part("standard deviation over seeds", 0.5, partial(_columns, name="std")),
        Part("nats above the limit", 0.5, partial(_columns, name="above")),
        Part("the best first", 0.5, _best_first),
    ),
    explains=("A sweep is a table",),
    module=__name__,
)
