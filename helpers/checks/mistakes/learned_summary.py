"""Unit 03: what people write instead of a fair summary of a sweep."""

from __future__ import annotations

import pandas as pd

from helpers.checks.exercise import Mistake


def summary_of_all_lengths(runs, length):
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


def summary_by_population(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].mean(), "std": grouped["loss"].std(ddof=0)})
    return table.assign(above=grouped["above"].mean()).sort_values("mean")


def summary_by_standard_error(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].mean(), "std": grouped["loss"].sem()})
    return table.assign(above=grouped["above"].mean()).sort_values("mean")


def summary_by_variance(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].mean(), "std": grouped["loss"].var()})
    return table.assign(above=grouped["above"].mean()).sort_values("mean")


def summary_by_the_best_seed(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].min(), "std": grouped["loss"].std()})
    table["above"] = grouped["above"].min()
    return table.loc[grouped["loss"].mean().sort_values().index]


def summary_by_median(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].median(), "std": grouped["loss"].std()})
    table["above"] = grouped["above"].median()
    return table.loc[grouped["loss"].mean().sort_values().index]


def summary_above_upside_down(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["limit"] - runs["loss"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


def summary_above_as_a_ratio(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] / runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


def summary_above_the_best_encoding(runs, length):
    runs = runs[runs["length"] == length]
    table = runs.groupby("encoding")["loss"].agg(["mean", "std"])
    return table.assign(above=table["mean"] - table["mean"].min()).sort_values("mean")


def summary_in_alphabetical_order(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    return grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())


def summary_worst_first(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean", ascending=False)


def summary_with_names_in_a_column(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean").reset_index()


def summary_of_each_seed(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby(["encoding", "seed"])
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


def summary_written_into_runs(runs, length):
    runs["above"] = runs["loss"] - runs["limit"]
    grouped = runs[runs["length"] == length].groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


_MEAN, _STD, _ABOVE, _ORDER = (
    "mean over seeds",
    "standard deviation over seeds",
    "nats above the limit",
    "the best first",
)
SUMMARY = (
    Mistake(
        summary_of_all_lengths,
        "The argument length changes nothing: you average over all lengths that were measured.",
        (_MEAN, _STD, _ABOVE),
    ),
    Mistake(
        summary_by_population,
        "You divide by the number of seeds n. These few seeds stand for all that might have been "
        "drawn: divide by n − 1.",
        (_STD,),
    ),
    Mistake(
        summary_by_standard_error,
        "You have divided by √n once more. That is the standard error of the mean; asked is how "
        "far single seeds lie apart.",
        (_STD,),
    ),
    Mistake(
        summary_by_variance,
        "This is the variance. Its unit is nats²; take the root.",
        (_STD,),
    ),
    Mistake(
        summary_by_the_best_seed,
        "You report the best seed. Whoever runs it again will seldom be so lucky: take the mean "
        "over all.",
        (_MEAN, _ABOVE),
    ),
    Mistake(
        summary_by_median,
        "This is the median, the middle seed. Asked is the mean.",
        (_MEAN, _ABOVE),
    ),
    Mistake(
        summary_above_upside_down,
        "The sign is turned: how far a loss lies above the limit is positive for a loss that is "
        "larger than it.",
        (_ABOVE,),
    ),
    Mistake(
        summary_above_as_a_ratio,
        "You divide by the limit. Losses in nats are logarithms, and are compared by their "
        "difference.",
        (_ABOVE,),
    ),
    Mistake(
        summary_above_the_best_encoding,
        "You measure from the best encoding in this table. The column limit says what the best of "
        "all models could reach.",
        (_ABOVE,),
    ),
    Mistake(
        summary_in_alphabetical_order,
        "The encodings stand in alphabetical order, as groupby leaves them. Sort them by their "
        "mean.",
        (_ORDER,),
    ),
    Mistake(
        summary_with_names_in_a_column,
        "The names are a column and the index counts rows. groupby had made the names the index.",
        (_MEAN, _STD, _ABOVE, _ORDER),
    ),
    Mistake(
        summary_of_each_seed,
        "You group by seed as well, so each group is a single run and there is nothing to average.",
        (_MEAN, _STD, _ABOVE, _ORDER),
    ),
    Mistake(
        summary_written_into_runs,
        "Your function adds a column to the caller's table. Work on a copy; assign makes one.",
        (_ABOVE,),
    ),
    Mistake(
        summary_worst_first,
        "Your first row is the largest loss. A smaller loss is better.",
        (_ORDER,),
    ),
)
