"""Unit 03, “What a sweep says”: what people write instead."""

from __future__ import annotations

import pandas as pd

from helpers.checks.learned.summary import summary


@summary.mistake(
    "The argument length changes nothing: you average over all lengths that were measured.",
    breaks="It looks at the rows with that length only",
)
def summary_of_all_lengths(runs, length):
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


@summary.mistake(
    "You divide by the number of seeds n. These few seeds are a sample of all possible seeds: "
    "divide by n − 1.",
    loses="standard deviation over seeds",
    breaks="with $n - 1$ in the denominator",
)
def summary_by_population(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].mean(), "std": grouped["loss"].std(ddof=0)})
    return table.assign(above=grouped["above"].mean()).sort_values("mean")


@summary.mistake(
    "You have divided by √n once more. That is the standard error of the mean; the exercise asks "
    "for the standard deviation of single seeds.",
    loses="standard deviation over seeds",
)
def summary_by_standard_error(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].mean(), "std": grouped["loss"].sem()})
    return table.assign(above=grouped["above"].mean()).sort_values("mean")


@summary.mistake(
    "This is the variance. Its unit is nats²; take the square root.",
    loses="standard deviation over seeds",
)
def summary_by_variance(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].mean(), "std": grouped["loss"].var()})
    return table.assign(above=grouped["above"].mean()).sort_values("mean")


@summary.mistake(
    "You report the best seed. A second run will seldom be so lucky: take the mean over all.",
    loses=("mean over seeds", "nats above the limit"),
    breaks="the mean of `loss` over the seeds",
)
def summary_by_the_best_seed(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = pd.DataFrame({"mean": grouped["loss"].min(), "std": grouped["loss"].std()})
    table["above"] = grouped["above"].min()
    return table.loc[grouped["loss"].mean().sort_values().index]


@summary.mistake(
    "This is the median, the middle seed. Take the mean.",
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
    "The encodings stand in alphabetical order, as groupby leaves them. Sort them by their mean.",
    loses="the best first",
)
def summary_in_alphabetical_order(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    return grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())


@summary.mistake(
    "The names are in a column and the index only numbers the rows. groupby had already made "
    "the names the index."
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
    breaks="`runs` stays as it is",
)
def summary_written_into_runs(runs, length):
    runs["above"] = runs["loss"] - runs["limit"]
    grouped = runs[runs["length"] == length].groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


@summary.mistake(
    "Your first row is the largest loss. A smaller loss is better.",
    loses="the best first",
    breaks="best first",
)
def summary_worst_first(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean", ascending=False)


@summary.mistake(
    "You sort by the column above. Sort by mean, smallest first; the order is not the same where "
    "the limits differ.",
    loses="the best first",
    breaks="The rows are sorted by their mean, the smallest first",
)
def summary_sorted_by_above(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("above")


@summary.mistake(
    "You round before you sort, and means that are nearly equal stand in any order. Sort the "
    "exact numbers; rounding is for display.",
    loses="the best first",
    breaks="The rows are sorted by their mean, the smallest first",
)
def summary_sorted_by_rounded_means(runs, length):
    runs = runs[runs["length"] == length]
    grouped = runs.assign(above=runs["loss"] - runs["limit"]).groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.loc[table["mean"].round(3).sort_values(kind="stable").index]


@summary.mistake(
    "You count seeds with the same loss only once. Each row is a run of its own: two seeds may "
    "end with the same loss.",
    loses=("mean over seeds", "standard deviation over seeds", "nats above the limit"),
    breaks="which may have equal losses",
)
def summary_of_different_losses(runs, length):
    here = runs[runs["length"] == length]
    best = here.groupby("encoding")["loss"].mean().sort_values().index
    here = here.drop_duplicates(["encoding", "loss", "limit"])
    grouped = here.assign(above=here["loss"] - here["limit"]).groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.loc[best]


@summary.mistake(
    "An encoding is lost where two have the same mean: you keep one row for each mean. Each "
    "encoding has a row of its own.",
    loses=("mean over seeds", "standard deviation over seeds", "nats above the limit"),
)
def summary_with_one_row_for_each_mean(runs, length):
    runs = runs[runs["length"] == length]
    grouped = runs.assign(above=runs["loss"] - runs["limit"]).groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean").drop_duplicates("mean")


@summary.mistake(
    "You sort by the standard deviation. Sort by mean, smallest first.",
    loses="the best first",
)
def summary_sorted_by_std(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("std")


@summary.mistake(
    "Your table has more than the three columns that are asked for.",
    loses="the best first",
    breaks="three columns",
)
def summary_with_a_count(runs, length):
    runs = runs[runs["length"] == length]
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    grouped = runs.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std", "count"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean")


@summary.mistake(
    "Encodings that were never measured at this length have a row as well, full of nan. Look at "
    "the rows with that length only.",
)
def summary_of_encodings_without_runs(runs, length):
    here = runs[runs["length"] == length]
    grouped = here.assign(above=here["loss"] - here["limit"]).groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.reindex(sorted(set(runs["encoding"]))).sort_values("mean")


@summary.mistake(
    "Your columns hold text, which no later cell can compute with. Keep the numbers; rounding is "
    "for display.",
    loses=("mean over seeds", "standard deviation over seeds", "nats above the limit"),
)
def summary_in_texts(runs, length):
    runs = runs[runs["length"] == length]
    grouped = runs.assign(above=runs["loss"] - runs["limit"]).groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean").map("{:.3f}".format)


@summary.mistake(
    "Where all seeds of an encoding have equal losses, your standard deviation is missing. It is "
    "0 there.",
    loses="standard deviation over seeds",
)
def summary_without_a_deviation_of_zero(runs, length):
    runs = runs[runs["length"] == length]
    grouped = runs.assign(above=runs["loss"] - runs["limit"]).groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"]).assign(above=grouped["above"].mean())
    return table.sort_values("mean").replace({"std": {0: float("nan")}})
