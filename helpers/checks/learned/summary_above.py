"""Unit 03, “What a sweep says”: what people write instead of the mean of loss − limit."""

from __future__ import annotations

from helpers.checks.learned.summary import summary


@summary.mistake(
    "The sign is wrong: a loss above the limit should give a positive number.",
    loses="nats above the limit",
    breaks="the mean of `loss - limit`",
)
def summary_above_upside_down(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["limit"] - runs["loss"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


@summary.mistake(
    "You divide by the limit. Losses in nats are logarithms, which are compared by their "
    "difference.",
    loses="nats above the limit",
)
def summary_above_as_a_ratio(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] / runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


@summary.mistake(
    "You measure from the best encoding in this table. The column limit says what the best "
    "possible model could reach.",
    loses="nats above the limit",
)
def summary_above_the_best_encoding(runs, length):
    runs = runs[runs["length"] == length]
    table = runs.groupby("encoding")["loss"].agg(["mean", "std"])
    return table.assign(above=table["mean"] - table["mean"].min()).sort_values("mean")


@summary.mistake(
    "You subtract the same limit from every loss. Each run has a limit of its own.",
    loses="nats above the limit",
)
def summary_above_the_first_limit(runs, length):
    runs = runs[runs["length"] == length]
    table = runs.groupby("encoding")["loss"].agg(["mean", "std"])
    return table.assign(above=table["mean"] - runs["limit"].iloc[0]).sort_values("mean")


@summary.mistake(
    "You subtract one mean limit, over all encodings, from every loss. Each run has a limit of its "
    "own: subtract first, then take the mean.",
    loses="nats above the limit",
)
def summary_above_the_mean_limit(runs, length):
    runs = runs[runs["length"] == length]
    table = runs.groupby("encoding")["loss"].agg(["mean", "std"])
    return table.assign(above=table["mean"] - runs["limit"].mean()).sort_values("mean")
