"""The score of the race: how far a loss is from the exact limit, over seeds."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from helpers import plots
from helpers.race.rules import TIMES
from helpers.race.runs import MEASURED

# Quantiles of Student's t, by degrees of freedom, for 95 % on both sides.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}
KINDS = {"all": "", "beat": ", beats", "echo": ", echoes", "verb": ", agreement"}


def distances(scored: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of scored runs with their distance and what it is a measure of.

    `distance` is (loss − limit)/(loss without positions − limit), both losses of the same seed, on
    the same text; NaN where there is no loss. `measure` is a task, or a task and a kind of place.
    """
    keys = ["task", "kind", "times", "seed"]
    rows = scored[scored["kind"].isin(list(KINDS))].astype({"loss": float})
    without = rows[rows["encoding"] == "none"].set_index(keys)["loss"].rename("without")
    rows = rows.join(without, on=keys)
    distance = (rows["loss"] - rows["limit"]) / (rows["without"] - rows["limit"])
    return rows.assign(distance=distance, measure=rows["task"] + rows["kind"].map(KINDS))


def interval(by_seed: pd.DataFrame) -> pd.DataFrame:
    """Return `mean` of each column, over 2 to 5 seeds, and `half` of its 95 % interval."""
    spread = STUDENT[len(by_seed) - 1] * by_seed.std(skipna=False) / len(by_seed) ** 0.5
    return pd.DataFrame({"mean": by_seed.mean(skipna=False), "half": spread})


def summary(scored: pd.DataFrame, mine: str) -> pd.DataFrame:
    """Return what the seeds come to: a row for each measure, length and encoding, mine first.

    Columns: measure, times, encoding; `mean` and `half` as of `interval`, NaN where a seed has no
    loss, for the reason `outcome`; `tie`, whether a rival is not told apart from mine, as the
    interval of the differences, seed by seed, holds 0.
    """
    order = [*dict.fromkeys([mine, *scored["encoding"]])]
    tables = []
    for (measure, times), rows in distances(scored).groupby(["measure", "times"], sort=False):
        by_seed = rows.pivot(index="seed", columns="encoding", values="distance")[order]
        apart = interval(by_seed.sub(by_seed[mine], axis=0))
        table = interval(by_seed).assign(
            measure=measure,
            times=times,
            tie=(apart["mean"].abs() <= apart["half"]) & (apart.index != mine),
            outcome=rows.groupby("encoding")["outcome"].agg(_reasons),
        )
        tables.append(table.rename_axis("encoding").reset_index())
    return pd.concat(tables, ignore_index=True)


def _reasons(outcomes: pd.Series) -> str:
    """Return why there is no loss, or that there is one."""
    return ", ".join(sorted({*outcomes} - {MEASURED})) or MEASURED


def table(found: pd.DataFrame) -> pd.DataFrame:
    """Return a `summary` as text: a row for each measure and encoding, a column for each length."""
    cells = [
        f"{'≈ ' if row.tie else ''}{row.mean:.2f} ± {row.half:.2f}"
        if row.outcome == MEASURED
        else row.outcome
        for row in found.itertuples()
    ]
    found = found.assign(cell=cells, times=found["times"].map("{}×".format), task=found["measure"])
    wide = found.pivot_table("cell", ["task", "encoding"], "times", aggfunc="first", sort=False)
    return wide.rename_axis(columns=None).reset_index()


def places(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean, half of the interval and place, by measure, length and encoding.

    They are NaN where a seed has no loss.

    Args:
        rows: of `distances`.
    """
    tables = []
    for (measure, times), found in rows.groupby(["measure", "times"], sort=False):
        by_seed = found.pivot(index="seed", columns="encoding", values="distance")
        table = interval(by_seed)
        for name in by_seed:
            apart = interval(by_seed.sub(by_seed[name], axis=0))
            table.loc[name, "place"] = 1 + (apart["mean"] + apart["half"] < 0).sum()
        table["place"] = table["place"].where(table["mean"].notna())
        tables.append(table.assign(measure=measure, times=times))
    return pd.concat(tables).rename_axis("encoding").set_index(["measure", "times"], append=True)


def board_table(found: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return one measure of `places` as text: a row for each encoding, a column for each length.

    The best at the training length come first. In brackets stands the place, an = where several
    encodings share it.
    """
    rows = found.xs(measure, level="measure").reset_index()
    shared = rows.duplicated(["times", "place"], keep=False)
    cells = [
        f"{row.mean:.2f} ± {row.half:.2f} ({'=' * equal}{row.place:.0f})"
        for row, equal in zip(rows.itertuples(), shared, strict=True)
    ]
    rows["cell"] = pd.Series(cells).str.replace("-", "−").str.replace(" ", "\u00a0")
    rows.loc[rows["mean"].isna(), "cell"] = "no loss"
    order = rows.sort_values(["times", "place"], kind="stable")["encoding"].unique()
    return rows.pivot(index="encoding", columns="times", values="cell").reindex(order)


def picture(rows: pd.DataFrame) -> tuple[Figure, str]:
    """Return distance by length, a panel for each measure, and the text that stands for it."""
    panels = rows.groupby("measure", sort=False)
    looks = plots.looks(list(rows["encoding"].unique()))
    across = min(4, len(panels))
    down = math.ceil(len(panels) / across)
    figure, axes = plt.subplots(
        down, across, figsize=(2.4 * across, 2.2 * down), sharey=True, squeeze=False
    )
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    for ax, (measure, found) in zip(axes.flat, panels, strict=False):
        for encoding, own in found.groupby("encoding", sort=False):
            means = own.pivot(index="times", columns="seed", values="distance")
            (line,) = ax.plot(
                means.mean(axis=1, skipna=False), label=encoding, **looks[str(encoding)]
            )
            ax.scatter(own["times"], own["distance"], s=9, color=line.get_color())
        ax.set_xscale("log", base=2)
        ax.set(title=measure, ylim=(-0.05, 1.5), xticks=TIMES, xticklabels=map(str, TIMES))
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    figure.supxlabel("length of the test (training lengths)")
    figure.supylabel("distance to the limit")
    names = ", ".join(rows["encoding"].unique())
    return figure, f"Distance to the limit by length, up to 1.5, for {names}; the table has it all."
