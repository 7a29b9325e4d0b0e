"""Losses and what they are compared with: curves by step, and runs as rows of dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def beside_baselines(
    curves: Mapping[str, tuple[Any, Any]], baselines: Mapping[str, float]
) -> tuple[Figure, str]:
    """Named curves, each a pair (steps, losses in nats), over grey `baselines`; log steps."""
    figure, ax = plt.subplots()
    plots.lines(ax, curves, x="step (logarithmic)", y="loss (nats)")
    ax.set_xscale("log")
    draw_baselines(ax, baselines)
    ends = ", ".join(f"{name} {[*losses][-1]:.2f}" for name, (_, losses) in curves.items())
    grey = ", ".join(f"{name} {value:.2f}" for name, value in baselines.items())
    return figure, f"Loss by step, with lines for {grey}. At the end: {ends} nats."


def draw_baselines(ax: Axes, baselines: Mapping[str, float]) -> None:
    """A grey line for each of `baselines`, with its name above its right end."""
    for name, value in baselines.items():
        ax.axhline(value, color="grey", linestyle="-", linewidth=1)
        ax.text(1, value, name, transform=ax.get_yaxis_transform(), ha="right", va="bottom")


def ranked(races: Mapping[str, pd.Series]) -> tuple[Figure, str]:
    """Races side by side: a row for each encoding, best at the top, and a dot for each run.

    Args:
        races: what is measured → the runs' numbers, by encoding; less is better.
    """
    figure, axes = plt.subplots(1, len(races), figsize=(4.5 * len(races), 2.8))
    told = []
    for ax, (title, runs) in zip(axes, races.items(), strict=True):
        best = runs.groupby(level=0).mean().sort_values().index
        for name in best:
            ax.plot(runs[[name]], [name] * len(runs[[name]]), "o", color=plots.COLOURS[0])
        ax.invert_yaxis()
        ax.set(title=title)
        told.append(f"{title}: {', '.join(best)}")
    return figure, f"Encodings, best at the top, a dot for each run. {'; '.join(told)}."


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
