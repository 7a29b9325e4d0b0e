"""Figures of the class report: SVG whose ink follows the reader's light or dark page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from helpers import plots

WIDTH = 4.2  # inches: fits a phone without making its words small
STYLE: Any = plots.STYLE | {
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "svg.fonttype": "none",  # words stay words
}


def histogram(counts: np.ndarray, edges: np.ndarray, x: str) -> str:
    """How many learners are between two edges; as a data address."""
    with matplotlib.rc_context(STYLE):
        figure, ax = _axes(2.4)
        ax.bar(edges[:-1], counts, np.diff(edges) * 0.94, align="edge", color=plots.COLOURS[0])
        ax.set(xlabel=x, ylabel="learners", xlim=(edges[0], edges[-1]))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        return plots.svg(figure)


def bars(names: Sequence[str], fractions: Sequence[float]) -> str:
    """A bar from 0 to 1 for each name, the first on top; as a data address."""
    with matplotlib.rc_context(STYLE):
        figure, ax = _axes(0.7 + 0.42 * len(names))
        drawn = ax.barh(range(len(names)), fractions, color=plots.COLOURS[0], height=0.7)
        ax.bar_label(drawn, [f"{100 * fraction:.0f} %" for fraction in fractions], padding=3)
        ax.set(xlabel="mean fraction of the points", xlim=(0, 1.15))
        ax.set_yticks(range(len(names)), names)
        ax.set_xticks([0, 0.5, 1])
        ax.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        ax.invert_yaxis()
        return plots.svg(figure)


def _axes(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, height))
    return figure, figure.subplots()
