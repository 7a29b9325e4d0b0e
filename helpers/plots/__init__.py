"""Figures: one style, colours that colour-blind readers can tell apart, a text for each picture.

And tables, which scroll where they are wider than the page.
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython import get_ipython
from IPython.display import DisplayHandle, display
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox
from PIL import Image

# Nearly black and white; an SVG has in their place what suits the reader's light or dark page.
INK, PAPER = "#010203", "#fdfeff"
# Okabe and Ito's palette, without its yellow, which is too pale for a line on white.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK]
LINES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1))]
# Encodings by their names in recorded studies, in the same colour and line in all figures: places
# in COLOURS and LINES. Of two that share a colour and are in a figure together, the first has it.
STYLES = {
    "sinusoidal": (0, 0), "learned": (1, 1), "Shaw keys": (2, 2), "Transformer-XL": (3, 3),
    "RoPE": (4, 4), "T5 bias": (5, 5), "none": (6, 6),
    "learned, std 1": (2, 4), "Fourier": (3, 5), "Huang": (4, 0), "clipped bias": (3, 1),
    "window": (6, 3),
}  # fmt: skip
DIVERGING, SEQUENTIAL = "PuOr", "Purples"
CSS_DPI = 96  # pixels of CSS to an inch
SHARP = 2  # pixels of a PNG to one of CSS, as most screens have them
PALETTE = 96  # colours of a PNG

STYLE: Any = {
    "axes.edgecolor": INK,
    "axes.facecolor": PAPER,
    "axes.labelcolor": INK,
    "axes.prop_cycle": cycler(color=COLOURS, linestyle=LINES),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titley": 1.0,  # else each drawing looks for what might be in a title's way
    "figure.constrained_layout.use": True,
    "figure.dpi": CSS_DPI,
    "figure.facecolor": PAPER,
    "figure.figsize": (7.0, 3.2),
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "image.aspect": "auto",
    "image.interpolation": "none",  # an SVG then holds a matrix as it is, and stays sharp
    "legend.frameon": False,
    "svg.hashsalt": "order-matters",  # the same bytes each time
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
matplotlib.rcParams.update(STYLE)  # a learner's own figures share the style

THEME = (
    "<style>svg{color:#1b1f24;--paper:#fff}"
    "@media (prefers-color-scheme:dark){svg{color:#e3e6ea;--paper:#111}}</style>"
)
# JupyterLab's theme need not be the system's; an SVG asks for the colour scheme of its `img`. Where
# a notebook is not trusted, JupyterLab drops this, and the picture is as light as the system.
FOLLOW = (
    "<style>[data-jp-theme-light=true] .order-matters{color-scheme:light}"
    "[data-jp-theme-light=false] .order-matters{color-scheme:dark}</style>"
)


def scrolling(table: pd.DataFrame) -> str:
    """The table as a notebook shows it; where it is wider than the page, the keyboard moves it."""
    group = '<div role="group" aria-label="Table" tabindex="0" style="overflow-x: auto">'
    return f"{group}{table._repr_html_()}</div>"


if shell := get_ipython():
    shell.display_formatter.formatters["text/html"].for_type(pd.DataFrame, scrolling)


def png(figure: Figure) -> bytes:
    """The figure as PNG, `SHARP` pixels to each of CSS, the same bytes each time; closes it."""
    figure.set_dpi(CSS_DPI * SHARP)
    # Not `savefig`, which draws once more only to find the layout, as each drawing does.
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    plt.close(figure)
    buffer = io.BytesIO()
    # A palette takes a third of the bytes.
    drawn = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    drawn.quantize(PALETTE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def svg(figure: Figure) -> str:
    """The figure as SVG, the same each time, as the address of an image; closes it.

    What has the colour `INK` or `PAPER` follows the reader's light or dark page.
    """
    buffer = io.StringIO()
    plain = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    FigureCanvasSVG(figure).print_svg(buffer, metadata=plain)
    plt.close(figure)
    drawn = buffer.getvalue().replace(INK, "currentColor").replace(PAPER, "var(--paper)")
    drawn = drawn.replace("<defs>", f"{THEME}<defs>", 1)
    return f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}"


def show(figure: Figure, alt: str) -> None:
    """Display `figure` with `alt`, the text that stands for it where it cannot be seen."""
    LiveOutput().show(figure, alt)


class LiveOutput:
    """Where a notebook shows a picture that may be drawn anew; what was drawn last is kept.

    Args:
        before, after: HTML that goes with the picture, for what stands around it.
    """

    def __init__(self, before: str = "", after: str = "") -> None:
        self._before, self._after = FOLLOW + before, after
        self._boxes: list[Bbox] = []  # of the axes in the last picture
        self._handle: DisplayHandle | None = None

    def show(self, figure: Figure, alt: str, sketch: bool = False) -> None:
        """Show `figure`, whose text is `alt`; closes it.

        Args:
            sketch: be quick, for a picture that another will replace: the axes stay where they
                were, and there is no PNG, for the programs that take no SVG.
        """
        if sketch and len(figure.axes) == len(self._boxes):
            figure.set_layout_engine("none")
            for ax, box in zip(figure.axes, self._boxes, strict=True):
                ax.set_position(box)
        width, height = (round(CSS_DPI * inches) for inches in figure.get_size_inches())
        image = (
            f'{self._before}<img class="order-matters" width="{width}" height="{height}" '
            f'style="max-width: 100%; height: auto" alt="{html.escape(alt)}" '
            f'src="{svg(figure)}">{self._after}'
        )
        portable = {} if sketch else {"image/png": base64.b64encode(png(figure)).decode()}
        metadata = {kind: {"alt": alt, "width": width, "height": height} for kind in portable}
        self._put({"text/html": image, **portable, "text/plain": alt}, metadata)
        self._boxes = [ax.get_position() for ax in figure.axes]

    def say(self, text: str) -> None:
        """Show `text`, an error say, in the place of the picture."""
        told = f"{self._before}<p role='alert'>{html.escape(text)}</p>"
        self._put({"text/html": told, "text/plain": text}, {})

    def _put(self, data: dict[str, str], metadata: dict[str, dict[str, str | int]]) -> None:
        if self._handle is None:
            self._handle = display(data, metadata=metadata, raw=True, display_id=True)
        else:
            self._handle.update(data, metadata=metadata, raw=True)


def heatmap(
    ax: Axes,
    table: Any,
    *,
    x: str,
    y: str,
    title: str = "",
    limit: float = 0,
    says: str = "",
    bar: bool = True,
) -> None:
    """Draw a matrix; zero is white, and in the middle of the colours if any number is negative.

    Args:
        table: (rows, columns), anything that NumPy can read.
        x, y: what the columns and the rows are.
        limit: value of the strongest colour; the largest in the table if 0.
        says: what the colours are, written beside their bar.
        bar: whether the colours are explained, as by one of several with the same `limit`.
    """
    values = _array(table)
    limit = limit or float(np.abs(values).max()) or 1.0
    signed = bool((values < 0).any())
    colours = DIVERGING if signed else SEQUENTIAL
    low = -limit if signed else 0.0
    picture = ax.imshow(values, cmap=colours, vmin=low, vmax=limit)
    ax.set(xlabel=x, ylabel=y, title=title)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    if bar:
        ax.figure.colorbar(picture, ax=ax, label=says)


def lines(
    ax: Axes, curves: Mapping[str, tuple[Sequence[float], Any]], *, x: str, y: str, title: str = ""
) -> None:
    """Draw named curves, each a pair (x values, y values), and a legend where there are several."""
    for name, (xs, ys) in curves.items():
        ax.plot(xs, _array(ys), label=name)
    ax.set(xlabel=x, ylabel=y, title=title)
    if len(curves) > 1:
        legend(ax)


def race(ax: Axes, table: pd.DataFrame, title: str = "", value: str = "loss") -> None:
    """Loss by length: a dot per seed, a line through the means, the exact limit in grey.

    Args:
        table: columns encoding, seed, length, loss and limit (nats), as `run` gives them; the
            encodings are drawn in the order of the rows.
        value: "loss", or "accuracy", which has no limit.
    """
    runs = {str(name): rows for name, rows in table.groupby("encoding", sort=False)}
    shown = looks(runs)
    for name, rows in runs.items():
        mean = rows.groupby("length")[value].mean()
        (line,) = ax.plot(mean.index, mean, label=name, **shown[name])
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
    legend(ax)


def looks(names: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return colour and line of each encoding: its own, or one that no other in the figure has."""
    places: dict[str, tuple[int, int]] = {}
    for name, (colour, line) in STYLES.items():
        if name in names and colour not in {taken for taken, _ in places.values()}:
            places[name] = colour, line
    taken = {colour for colour, _ in places.values()}
    free = [n for n in range(len(COLOURS)) if n not in taken] or [*range(len(COLOURS))]
    for n, name in enumerate(name for name in names if name not in places):
        colour = free[n % len(free)]
        places[name] = colour, (colour + n // len(free)) % len(LINES)
    return {
        name: {"color": COLOURS[colour], "linestyle": LINES[line]}
        for name, (colour, line) in places.items()
    }


def legend(ax: Axes) -> None:
    """Beside the axes, where it hides no curve."""
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))


def _array(values: Any) -> np.ndarray:
    """Numbers to draw, also from a tensor that is being trained."""
    return np.asarray(values.detach() if hasattr(values, "detach") else values, dtype=float)
