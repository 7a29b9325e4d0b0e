"""Losses and what they are compared with: curves by step, runs as a table, runs as rows of dots."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers import plots

WINDOW = 20  # steps in one mean


def smooth(losses: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """The step in the middle of each `WINDOW` losses, and their mean."""
    whole = len(losses) // WINDOW
    means = np.reshape(losses[: whole * WINDOW], (whole, WINDOW)).mean(1)
    return np.arange(whole) * WINDOW + WINDOW / 2, means


def by_step(
    curves: Mapping[str, tuple[Any, Any]], levels: Mapping[str, float], title: str = "",
    logarithmic: bool = False,
) -> Figure:  # fmt: skip
    """Named curves, each a pair (steps, losses in nats), over grey `levels`."""
    figure, ax = plt.subplots()
    x = "step (logarithmic)" if logarithmic else "step"
    plots.lines(ax, curves, x=x, y="loss (nats)", title=title)
    if logarithmic:
        ax.set_xscale("log")
    draw_levels(ax, levels)
    return figure


def draw_levels(ax: Axes, levels: Mapping[str, float]) -> None:
    """A grey line for each of `levels`, with its name above its right end."""
    for name, value in levels.items():
        ax.axhline(value, color="grey", linestyle="-", linewidth=1)
        ax.text(1, value, name, transform=ax.get_yaxis_transform(), ha="right", va="bottom")


def rows(
    ax: Axes, runs: Mapping[str, Any], *, x: str, levels: Mapping[str, float],
    other: Collection[str] = (), title: str = "",
) -> None:  # fmt: skip
    """A row for each name and a dot for each of its numbers; `other` rows in another colour."""
    for name, values in runs.items():
        colour = plots.COLOURS[1] if name in other else plots.COLOURS[0]
        ax.plot(values, [name] * len(values), "o", color=colour)
    for style, (name, value) in zip(plots.LINES, levels.items(), strict=False):
        ax.axvline(value, color="grey", linestyle=style, label=name)
    ax.invert_yaxis()
    ax.set(xlabel=x, title=title)
    if len(levels) > 1:
        plots.legend(ax)


def above_limit(table: pd.DataFrame) -> Figure:
    """Loss above the limit: a row for each encoding, best at the top, a dot for each run.

    Args:
        table: columns encoding, length and above (nats); what is best, the longest length says.
    """
    longest = table[table["length"] == table["length"].max()].groupby("encoding")["above"].mean()
    places = list(longest.sort_values(ascending=False).index)
    figure, ax = plt.subplots(figsize=(7.5, 5.5))
    for n, (length, runs) in enumerate(table.groupby("length")):
        heights = [places.index(name) + 0.22 * (1 - n) for name in runs["encoding"]]
        ax.scatter(runs["above"], heights, s=18, marker="osD"[n], label=f"T = {length}")
    ax.set_yticks(range(len(places)), places)
    ax.set(xlabel="loss above the limit (nats per hidden token)", xlim=(-0.05, None))
    ax.grid(axis="y", alpha=0.3)
    plots.legend(ax)
    return figure
