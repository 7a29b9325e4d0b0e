"""What pictures are made of: boxes, arrows and rows of tokens on a plane without axes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from helpers.plots import COLOURS

LIT, QUIET = COLOURS[1], "#8a8a8a"
PALE = "#D55E0030"  # of what is lit, behind black or white type
Point = tuple[float, float]


def plane(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure whose unit is one tenth of an inch, from (0, 0) at the lower left."""
    figure, ax = plt.subplots(figsize=(width / 10, height / 10))
    ax.set(xlim=(0, width), ylim=(0, height), aspect="equal")
    ax.axis("off")
    return figure, ax


def box(
    ax: Axes, centre: Point, size: Point, text: str, lit: bool = False, quiet: bool = False
) -> None:
    """A rounded box with text in its middle; `lit` is what the picture is about."""
    x, y = centre[0] - size[0] / 2, centre[1] - size[1] / 2
    edge = LIT if lit else QUIET
    patch = FancyBboxPatch(
        (x, y), *size, boxstyle="round,pad=0,rounding_size=.8", linewidth=2 if lit else 1,
        edgecolor=edge, facecolor=PALE if lit else "none", linestyle=":" if quiet else "-",
    )  # fmt: skip
    ax.add_patch(patch)
    write(ax, centre, text, weight="bold" if lit else "normal")


def write(ax: Axes, at: Point, text: str, weight: str = "normal", align: str = "center") -> None:
    """Text around a point, or from it on."""
    ax.text(*at, text, ha=align, va="center", fontweight=weight)


def arrow(ax: Axes, *points: Point, lit: bool = False) -> None:
    """An arrow along straight lines from the first point to the last."""
    colour = LIT if lit else QUIET
    for start, end in pairwise(points[:-1]):
        ax.plot(*zip(start, end, strict=True), color=colour, linestyle="-", linewidth=1)
    patch = FancyArrowPatch(
        points[-2], points[-1], arrowstyle="-|>", mutation_scale=9, linewidth=1,
        color=colour, shrinkA=0, shrinkB=0,
    )  # fmt: skip
    ax.add_patch(patch)


def tokens(
    ax: Axes, at: Point, words: Sequence[str], width: float = 8, lit: Sequence[int] = ()
) -> list[Point]:
    """A row of boxes, the first around `at`; the middle of each."""
    centres = [(at[0] + n * (width + 1), at[1]) for n in range(len(words))]
    for n, (centre, word) in enumerate(zip(centres, words, strict=True)):
        box(ax, centre, (width, 3.6), word, lit=n in lit)
    return centres
