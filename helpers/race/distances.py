"""The score of the race: how far a loss is from the exact limit, over seeds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from helpers.race.rules import TIMES

# Quantiles of Student's t, by degrees of freedom, for 95 % on both sides.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306}
KINDS = {"beat": "beats", "echo": "echoes", "verb": "agreement"}
Runs = list[dict[str, Any]]


def distances(scored: Runs) -> pd.DataFrame:
    """Return a row for each run, kind of place and length.

    `distance` is (loss − limit)/(loss without positions − limit), both losses of the same seed, on
    the same text; NaN where there is no loss, for the reason `failed`. Other columns: encoding,
    seed, measure (a task, or a task and a kind of place), times.
    """
    rows = pd.DataFrame(
        [
            {"encoding": run["encoding"], "seed": run["seed"]}
            | {"measure": _measure(run["task"], score["kind"])}
            | {key: score[key] for key in ("times", "loss", "limit", "failed")}
            for run in scored
            for score in run["scores"]
        ]
    )
    rows["loss"] = rows["loss"].astype(float)
    keys = ["measure", "times", "seed"]
    without = rows[rows["encoding"] == "none"].set_index(keys)["loss"].rename("without")
    rows = rows.join(without, on=keys)
    return rows.assign(distance=rows.eval("(loss - limit) / (without - limit)"))


def _measure(task: str, kind: str) -> str:
    return task if kind == "all" else f"{task}, {KINDS[kind]}"


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of two values or more, and half of its 95 % interval by Student's t."""
    count = len(values)
    spread = STUDENT[min(count - 1, max(STUDENT))] * statistics.stdev(values)
    return statistics.fmean(values), spread / count**0.5


def summary(scored: Runs, mine: str) -> list[dict[str, Any]]:
    """Return what the seeds come to: a row for each measure, encoding and length, mine first.

    `mean` and `half` are those of `interval`, None where a seed has no loss, for the reason
    `failed`; `tie` is whether a rival is not told apart from mine, by the interval of the
    differences, seed by seed.
    """
    found = []
    for (measure, times), rows in distances(scored).groupby(["measure", "times"], sort=False):
        by_seed = rows.pivot(index="seed", columns="encoding", values="distance")
        for encoding in sorted(by_seed, key=lambda name: name != mine):
            row = {"measure": measure, "encoding": encoding, "times": times}
            why = sorted({*rows.loc[rows["encoding"] == encoding, "failed"]} - {""})
            row |= {"mean": None, "half": None, "tie": False, "failed": ", ".join(why)}
            if not why:
                row["mean"], row["half"] = interval([*by_seed[encoding]])
                apart, spread = interval([*(by_seed[encoding] - by_seed[mine])])
                row["tie"] = encoding != mine and abs(apart) <= spread
            found.append(row)
    return found


def table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return a `summary` as text: a row for each measure and encoding, a column for each length."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        spread = "" if row["half"] is None else f" ± {row['half']:.2f}"
        text = row["failed"] or f"{'≈ ' if row['tie'] else ''}{row['mean']:.2f}{spread}"
        cells.setdefault((row["measure"], row["encoding"]), {})[f"{row['times']}×"] = text
    return pd.DataFrame(
        [{"task": task, "encoding": name} | each for (task, name), each in cells.items()]
    )


def picture(rows: pd.DataFrame) -> tuple[Figure, str]:
    """Return distance by length, a panel for each measure, and the text that stands for it."""
    measures = [*rows["measure"].unique()]
    across = min(4, len(measures))
    down = math.ceil(len(measures) / across)
    figure, axes = plt.subplots(
        down, across, figsize=(2.4 * across, 2.2 * down), sharey=True, squeeze=False
    )
    for ax in axes.flat[len(measures) :]:
        ax.set_axis_off()
    for ax, measure in zip(axes.flat, measures, strict=False):
        for encoding, own in rows[rows["measure"] == measure].groupby("encoding", sort=False):
            by_length = own.groupby("times")["distance"]
            (line,) = ax.plot(TIMES, by_length.mean().reindex(TIMES), label=encoding)
            ax.scatter(own["times"], own["distance"], s=9, color=line.get_color())
        ax.set_xscale("log", base=2)
        ax.set(title=measure, ylim=(-0.05, 1.5), xticks=TIMES, xticklabels=map(str, TIMES))
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    figure.supxlabel("length of the test (training lengths)")
    figure.supylabel("distance to the limit")
    names = ", ".join(dict.fromkeys(rows["encoding"]))
    return figure, f"Distance to the limit by length, up to 1.5, for {names}; the table has it all."
