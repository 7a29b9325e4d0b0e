"""Unit 03, “What a sweep says”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
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
)


@summary.mistake(
    "The argument length changes nothing: you average over all lengths that were measured.",
    loses=("mean over seeds", "standard deviation over seeds", "nats above the limit"),
)
def summary_of_all_lengths(runs, length):
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


@summary.mistake(
    "You divide by the number of seeds n. These few seeds stand for all that might have been "
    "drawn: divide by n − 1.",
    loses="standard deviation over seeds",
)
def summary_by_population(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].mean(), "std": grouped["loss"].std(ddof=0)})
    return table.assign(above=grouped["above"].mean()).sort_values("mean")


@summary.mistake(
    "You have divided by √n once more. That is the standard error of the mean; asked is how "
    "far single seeds lie apart.",
    loses="standard deviation over seeds",
)
def summary_by_standard_error(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].mean(), "std": grouped["loss"].sem()})
    return table.assign(above=grouped["above"].mean()).sort_values("mean")


@summary.mistake(
    "This is the variance. Its unit is nats²; take the root.", loses="standard deviation over seeds"
)
def summary_by_variance(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].mean(), "std": grouped["loss"].var()})
    return table.assign(above=grouped["above"].mean()).sort_values("mean")


@summary.mistake(
    "You report the best seed. Whoever runs it again will seldom be so lucky: take the mean "
    "over all.",
    loses=("mean over seeds", "nats above the limit"),
)
def summary_by_the_best_seed(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].min(), "std": grouped["loss"].std()})
    table["above"] = grouped["above"].min()
    return table.loc[grouped["loss"].mean().sort_values().index]


@summary.mistake(
    "This is the median, the middle seed. Asked is the mean.",
    loses=("mean over seeds", "nats above the limit"),
)
def summary_by_median(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].median(), "std": grouped["loss"].std()})
    table["above"] = grouped["above"].median()
    return table.loc[grouped["loss"].mean().sort_values().index]


@summary.mistake(
    "The sign is turned: how far a loss lies above the limit is positive for a loss that is "
    "larger than it.",
    loses="nats above the limit",
)
def summary_above_upside_down(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["limit"] - runs["loss"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


@summary.mistake(
    "You divide by the limit. Losses in nats are logarithms, and are compared by their difference.",
    loses="nats above the limit",
)
def summary_above_as_a_ratio(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] / runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


@summary.mistake(
    "You measure from the best encoding in this table. The column limit says what the best of "
    "all models could reach.",
    loses="nats above the limit",
)
def summary_above_the_best_encoding(runs, length):
    runs = runs[runs["length"] == length]
    table = runs.groupby("encoding")["loss"].agg(["mean", "std"])
    return table.assign(above=table["mean"] - table["mean"].min()).sort_values("mean")


@summary.mistake(
    "The encodings stand in alphabetical order, as groupby leaves them. Sort them by their mean.",
    loses="the best first",
)
def summary_in_alphabetical_order(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    return grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())


@summary.mistake(
    "The names are a column and the index counts rows. groupby had made the names the index."
)
def summary_with_names_in_a_column(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean").reset_index()


@summary.mistake(
    "You group by seed as well, so each group is a single run and there is nothing to average."
)
def summary_of_each_seed(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby(["encoding", "seed"])
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


@summary.mistake(
    "Your function adds a column to the caller's table. Work on a copy; assign makes one.",
    loses="nats above the limit",
)
def summary_written_into_runs(runs, length):
    runs["above"] = runs["loss"] - runs["limit"]
    grouped = runs[runs["length"] == length].groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


@summary.mistake(
    "Your first row is the largest loss. A smaller loss is better.", loses="the best first"
)
def summary_worst_first(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean", ascending=False)
