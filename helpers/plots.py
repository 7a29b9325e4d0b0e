"""Figures: one style, colours that colour-blind readers can tell apart, a text for each picture."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from cycler import cycler
from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

# Okabe and Ito's palette, without its yellow, which is too pale for a line on white.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"]
LINES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1))]
DIVERGING, SEQUENTIAL = "PuOr", "Purples"

STYLE: Any = {
    "axes.prop_cycle": cycler(color=COLOURS, linestyle=LINES),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.dpi": 96,
    "figure.figsize": (7.0, 3.2),
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "image.aspect": "auto",
    "legend.frameon": False,
}
matplotlib.rcParams.update(STYLE)  # a learner's own figures share the style


def png(figure: Figure) -> bytes:
    """The figure as PNG, the same bytes each time; closes it."""
    buffer = io.BytesIO()
    # Not `savefig`, which draws once more only to find the layout, as each drawing does.
    FigureCanvasAgg(figure).print_png(buffer, metadata={"Software": None})
    plt.close(figure)
    return buffer.getvalue()


def show(figure: Figure, alt: str) -> None:
    """Display `figure` with `alt`, the text that stands for it where it cannot be seen."""
    data, metadata = bundle(figure, alt)
    display(data, metadata=metadata, raw=True)


def bundle(figure: Figure, alt: str) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """What Jupyter displays of `figure`, as data and metadata; closes it."""
    data = {"image/png": base64.b64encode(png(figure)).decode(), "text/plain": alt}
    return data, {"image/png": {"alt": alt}}


def heatmap(ax: Axes, table: Any, *, x: str, y: str, title: str = "", limit: float = 0) -> None:
    """Draw a matrix; zero is white, and in the middle of the colours if any number is negative.

    Args:
        table: (rows, columns), anything that NumPy can read.
        x, y: what the columns and the rows are.
        limit: value of the strongest colour; the largest in the table if 0.
    """
    values = _array(table)
    limit = limit or float(np.abs(values).max()) or 1.0
    signed = bool((values < 0).any())
    colours = DIVERGING if signed else SEQUENTIAL
    low = -limit if signed else 0.0
    picture = ax.imshow(values, cmap=colours, vmin=low, vmax=limit, interpolation="nearest")
    ax.set(xlabel=x, ylabel=y, title=title)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    ax.figure.colorbar(picture, ax=ax)


def lines(
    ax: Axes, curves: Mapping[str, tuple[Sequence[float], Any]], *, x: str, y: str, title: str = ""
) -> None:
    """Draw named curves, each a pair (x values, y values), and a legend where there are several."""
    for name, (xs, ys) in curves.items():
        ax.plot(xs, _array(ys), label=name)
    ax.set(xlabel=x, ylabel=y, title=title)
    if len(curves) > 1:
        _legend(ax)


def race(ax: Axes, table: pd.DataFrame, title: str = "", value: str = "loss") -> None:
    """Loss by length: a dot per seed, a line through the means, the exact limit in grey.

    Args:
        table: columns encoding, seed, length, loss and limit (nats), as `run` gives them; the
            encodings are drawn in the order of the rows.
        value: "loss", or "accuracy", which has no limit.
    """
    for name, rows in table.groupby("encoding", sort=False):
        mean = rows.groupby("length")[value].mean()
        (line,) = ax.plot(mean.index, mean, label=name)
        ax.scatter(rows["length"], rows[value], color=line.get_color(), s=18)
    if value == "loss":
        limit = table.groupby("length")["limit"].mean()
        ax.plot(limit.index, limit, color="grey", ls="-", linewidth=3, alpha=0.5, label="limit")
    ax.set(
        xlabel="length T (tokens)",
        ylabel="loss (nats per hidden token)" if value == "loss" else value,
        title=title,
        xticks=sorted(table["length"].unique()),
        ylim=(0, None),
    )
    _legend(ax)


def _legend(ax: Axes) -> None:
    """Beside the axes, where it hides no curve."""
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))


def _array(values: Any) -> np.ndarray:
    """Numbers to draw, also from a tensor that is being trained."""
    return np.asarray(values.detach() if hasattr(values, "detach") else values, dtype=float)
