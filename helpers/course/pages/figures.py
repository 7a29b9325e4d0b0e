"""Figures of the class report: SVG whose ink follows the reader's light or dark page."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from helpers import plots

INK = "#010203"  # stands for the colour of the page's text until the SVG is written
THEME = "<style>svg{color:#1b1f24}@media (prefers-color-scheme:dark){svg{color:#e3e6ea}}</style>"
WIDTH = 4.2  # inches: fits a phone without making its words small
STYLE: Any = plots.STYLE | {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "svg.fonttype": "none",  # words stay words
    "svg.hashsalt": "order-matters",  # the same bytes each time
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def histogram(counts: np.ndarray, edges: np.ndarray, x: str) -> str:
    """How many learners are between two edges; as a data address."""
    with matplotlib.rc_context(STYLE):
        figure, ax = _axes(2.4)
        ax.bar(edges[:-1], counts, np.diff(edges) * 0.94, align="edge", color=plots.COLOURS[0])
        ax.set(xlabel=x, ylabel="learners", xlim=(edges[0], edges[-1]))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        return _address(figure)


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
        return _address(figure)


def _axes(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, height))
    return figure, figure.subplots()


def _address(figure: Figure) -> str:
    buffer = io.StringIO()
    plain = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(buffer, format="svg", transparent=True, metadata=plain)
    svg = buffer.getvalue().replace(INK, "currentColor").replace("<defs>", f"{THEME}<defs>", 1)
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
