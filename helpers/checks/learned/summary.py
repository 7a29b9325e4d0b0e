"""Unit 03, “What a sweep says”: what it asks.

Mistakes are in summary_wrong.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from statistics import mean, median, stdev
from typing import Any

import pandas as pd
import torch

from helpers.checks.engine import Answer, Case, Exercise, Part


def summarised(runs: pd.DataFrame, length: int) -> pd.DataFrame:
    """Per encoding at `length`: mean and sample deviation over seeds, and mean of loss − limit."""
    here = runs[runs["length"] == length]
    here = here.assign(gap=here["loss"] - here["limit"])
    grouped = here.groupby("encoding")
    columns = {"mean": grouped["loss"].mean(), "std": grouped["loss"].std()}
    return pd.DataFrame(columns | {"above": grouped["gap"].mean()}).sort_values("mean")


NAMES = (
    *("alibi", "cope", "fourier", "fourier, gamma 8", "learned", "learned, std 1", "none"),
    *("learned, std 0.02", "relative", "rotary", "rotary, base 500", "sinusoidal", "T5"),
    *("Sinusoidal, sum", "no, nothing"),
)


def _runs(rng: Random, encodings: int = 5) -> tuple[pd.DataFrame, int]:
    """A made-up sweep in no order, and a length in it.

    Each encoding has seeds, losses and limits of its own; one more was never measured at that
    length. Labels of the index are repeated, as where two sweeps are joined.
    """
    while True:
        lengths = rng.sample((16, 24, 32, 48, 64), 3)
        *names, never = rng.sample(NAMES, encodings + 1)
        rows = [row for name in names for row in _runs_of(rng, name, lengths)]
        rows += _runs_of(rng, never, lengths[1:])
        rng.shuffle(rows)
        if _orders_differ(rows, lengths[0]):
            some = rng.sample(range(1000), len(rows) // 2 + 1)  # as behind a choice of rows
            index = (some + some[::-1])[: len(rows)]
            return pd.DataFrame(rows, index=index), lengths[0]


def _runs_of(rng: Random, name: str, lengths: list[int]) -> Iterator[dict[str, Any]]:
    level, floor, steps = rng.uniform(1, 2), rng.uniform(0.1, 2), rng.choice((100, 200, 400))
    size = 4.5  # some means are below 10 and others above
    losses = [level + rng.gauss(0, 0.2) + rng.uniform(0, 0.5) for _ in range(rng.randint(2, 5))]
    if len(losses) > 2:
        losses[-1] = losses[0]  # two seeds may end alike
    for seed, first in zip(rng.sample(range(20), len(losses)), losses, strict=True):
        for length in lengths:
            loss = first * (1 + length / 100)
            limit = floor + length / 200 + rng.uniform(0, 0.2)
            row = {"encoding": name, "seed": seed, "steps": steps, "length": length}
            yield row | {"loss": size * loss, "limit": size * limit, "accuracy": rng.random()}


def _orders_differ(rows: list[dict[str, Any]], length: int) -> bool:
    """Whether what else one could sort by gives another order than the mean."""
    here: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["length"] == length:
            here.setdefault(row["encoding"], []).append(row)
    best = _order(here, lambda found: mean(row["loss"] for row in found))
    others = [_order(here, measure) for measure in MEASURES]
    return best not in [*others, best[::-1], list(here), sorted(here), sorted(here, reverse=True)]


def _order(here: dict[str, list[dict[str, Any]]], measure: Callable[[Any], Any]) -> list[str]:
    return sorted(here, key=lambda name: measure(here[name]))


# What else one could sort the encodings by.
MEASURES: tuple[Callable[[Any], Any], ...] = (
    lambda found: str(mean(row["loss"] for row in found)),
    lambda found: mean(row["loss"] - row["limit"] for row in found),
    lambda found: stdev(row["loss"] for row in found),
    lambda found: min(row["loss"] for row in found),
    lambda found: max(row["loss"] for row in found),
    lambda found: median(row["loss"] for row in found),
    lambda found: mean(row["limit"] for row in found),
    lambda found: mean(-row["accuracy"] for row in found),
    lambda found: sum(row["loss"] for row in found),
    lambda found: found[0]["loss"],
    len,
    lambda found: len(found[0]["encoding"]),
)


def _column(answer: Answer, runs: pd.DataFrame, length: int, name: str) -> dict[str, Any]:
    """One column of the answer, by encoding."""
    found = answer(runs.copy(), length)
    table = found if isinstance(found, pd.DataFrame) else pd.DataFrame()
    labels = [str(label) for label in table.index]
    order = sorted(range(len(labels)), key=labels.__getitem__)
    has = name in table.columns
    return {
        "the type of the result": type(found).__name__,
        "its index, sorted": sorted(labels),
        f"it has a column {name!r}": has,
        name: torch.tensor(table[name].to_numpy(float)[order]) if has else "missing",
    }


def _summary_column(rng: Random, name: str) -> Iterator[Case]:
    for encodings in (5, 12):
        runs, length = _runs(rng, encodings)
        words = f"column {name!r} of a made-up sweep at length {length}"
        yield Case(words, partial(_column, runs=runs, length=length, name=name))
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
    for encodings in (5, 12):
        runs, length = _runs(rng, encodings)

        def ask(answer: Answer, runs: pd.DataFrame = runs, length: int = length) -> Any:
            found = answer(runs.copy(), length)
            table = found if isinstance(found, pd.DataFrame) else pd.DataFrame()
            return {
                "the type of the result": type(found).__name__,
                "its index": [str(each) for each in table.index],
                "its columns, sorted": sorted(str(each) for each in table.columns),
            }

        yield Case(f"the table of a made-up sweep at length {length}", ask)


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
        "Its rows stand in any order",
        "Write `summary(runs, length)`.",
    ),
)
