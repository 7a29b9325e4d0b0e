"""Offsets between positions: the staircase, a clip, and memory that is cut again."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from helpers.pictures.sketch import LIT, QUIET
from helpers.plots import DIVERGING


def staircase(length: int = 7, k: int | None = None) -> tuple[Figure, str]:
    """Who stands how far from whom: j − i for every query i and key j, clipped to ±k if given."""
    figure, ax = plt.subplots(figsize=(3.6, 3.2))
    position = np.arange(length)
    offset = position - position[:, None]
    shown = offset if k is None else offset.clip(-k, k)
    _numbers(ax, shown, length - 1)
    ax.set(
        xlabel="key j", ylabel="query i", title="j − i" if k is None else f"j − i, clipped to ±{k}"
    )
    clip = "" if k is None else f", clipped to plus or minus {k}"
    alt = (
        f"A square of {length} by {length} numbers, j minus i{clip}. Each diagonal has one number: "
        f"{length * length} pairs need {len(np.unique(shown))} vectors."
    )
    return figure, alt


def _numbers(ax: Axes, table: np.ndarray, limit: float) -> None:
    # Paler than the colours' ends, so that black type can be read on all of them.
    ax.imshow(table, cmap=DIVERGING, norm=Normalize(-2.2 * limit, 2.2 * limit), aspect="equal")
    for (row, column), value in np.ndenumerate(table):
        ax.text(column, row, f"{value:g}", ha="center", va="center", color="black")
    ax.set(xticks=range(table.shape[1]), yticks=range(table.shape[0]))
    ax.tick_params(length=0)


def skewed(length: int = 4) -> tuple[Figure, str]:
    """Products by offset, with a column added, as they lie in memory; cut again (unit 04)."""
    figure, axes = plt.subplots(
        3, 1, figsize=(7.4, 4.4), height_ratios=(length, 1, length), gridspec_kw={"hspace": 0.1}
    )
    padded, again = cut_again(length)
    titles = (
        "a row per query, a column per offset, and one added column (·)",
        "the same numbers as they lie in memory",
        f"cut again into rows of {2 * length - 1}, from number {length - 1} on: a column per key",
    )
    for ax, table, title in zip(
        axes, (padded, padded.reshape(1, -1, 2), again), titles, strict=True
    ):
        _strip(ax, table, length, title)
    alt = (
        f"A table of {length} rows and {2 * length} columns is written as one strip of "
        f"{2 * length * length} numbers and cut again into rows that are one shorter. What was a "
        f"slanting band, lit, now stands in the first {length} columns, one for each key."
    )
    return figure, alt


def cut_again(length: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (query i, column of its offset), (T, 2T, 2), and the same cut again, (T, 2T − 1, 2).

    Column c holds offset c − (T − 1), the last column what was added.
    """
    padded = np.moveaxis(np.indices((length, 2 * length)), 0, -1)
    flat = padded.reshape(-1, 2)[length - 1 :][: length * (2 * length - 1)]
    return padded, flat.reshape(length, 2 * length - 1, 2)


def _strip(ax: Axes, table: np.ndarray, length: int, title: str) -> None:
    """Each number's offset; lit where its key exists. The entries are those of `cut_again`."""
    ax.set(xlim=(-0.5, 2 * length * length), ylim=(len(table) - 0.5, -0.5), title=title)
    for row, column in np.ndindex(table.shape[:2]):
        query, entry = table[row, column]
        offset, added = entry - length + 1, entry == 2 * length - 1
        lit = not added and 0 <= query + offset < length
        colour = LIT if lit else QUIET
        box = {"boxstyle": "square,pad=.2", "fc": "none", "ec": LIT if lit else "none", "lw": 1.5}
        text = "·" if added else f"{offset}"
        ax.text(column, row, text, ha="center", va="center", color=colour, bbox=box)
    ax.axis("off")
