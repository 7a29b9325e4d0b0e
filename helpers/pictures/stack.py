"""What happens over layers: a tree's offsets, rows that grow alike, a bias that falls by head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from helpers.encodings import tree_offsets
from helpers.pictures.sketch import LIT, QUIET, arrow, plane, write
from helpers.plots import COLOURS

STEP = 8  # from word to word


def tree(words: Sequence[str], heads: Sequence[int], centre: int) -> tuple[Figure, str]:
    """A sentence with an arrow from each word to its parent, and all offsets from word `centre`.

    Args:
        heads: for each word the index of its parent; −1 for the root, which gets its name.
    """
    figure, ax = plane(STEP * len(words) + 18, 26)
    in_tree = tree_offsets(torch.tensor(heads))[centre].tolist()
    in_text = [number - centre for number in range(len(words))]
    write(ax, (16, 3.5), "offset in the text", align="right")
    write(ax, (16, 0.8), "offset in the tree", align="right")
    for number, word in enumerate(words):
        x = 22 + STEP * number
        write(ax, (x, 7), word, weight="bold" if number == centre else "normal")
        write(ax, (x, 3.5), _signed(in_text[number]))
        write(ax, (x, 0.8), _signed(in_tree[number]), weight="bold")
        if heads[number] < 0:
            write(ax, (x, 14.5), "root")
            arrow(ax, (x, 13.5), (x, 9))
        else:
            _arc(ax, x, 22 + STEP * heads[number], lit=centre in (number, heads[number]))
    told = ", ".join(
        f"{word} {_signed(line)} and {_signed(steps)}"
        for word, line, steps in zip(words, in_text, in_tree, strict=True)
    )
    alt = (
        f"A sentence with an arrow from each word to its parent; the root is "
        f"“{words[list(heads).index(-1)]}”. For each word its offset from “{words[centre]}” in the "
        f"text and in the tree: {told}."
    )
    return figure, alt


def _arc(ax: Axes, word: float, parent: float, lit: bool) -> None:
    """A bow with an arrowhead at the parent; what leaves a word does not touch what arrives."""
    side = np.sign(parent - word)
    start, end = word + 1.6 * side, parent - 0.8 * side
    middle, half = (start + end) / 2, (start - end) / 2
    angle = np.linspace(0, np.pi, 80)
    rise = 3 + 1.1 * abs(half) ** 0.75
    x, y = middle + half * np.cos(angle), 9 + rise * np.sin(angle)
    ax.plot(x[:-3], y[:-3], "-", color=LIT if lit else QUIET, linewidth=1)
    arrow(ax, (x[-4], y[-4]), (end, 9), lit=lit)


def _signed(offset: int) -> str:
    return f"{offset:+d}".replace("-", "−") if offset else "0"


def band(
    rows: Mapping[str, np.ndarray], words: Sequence[str] = (), lit: Sequence[int] = ()
) -> tuple[Figure, str]:
    """One coordinate of every token, layer by layer, for several stacks: do they run together?

    Args:
        rows: name of the stack → (layers + 1, T).
        words: what the tokens are called, written where their curves begin.
        lit: which of the tokens the picture is about.
    """
    figure, axes = plt.subplots(1, len(rows), figsize=(7.4, 2.8), sharey=True, squeeze=False)
    widths = {}
    for ax, (name, values) in zip(axes[0], rows.items(), strict=True):
        low, high = values.min(1), values.max(1)
        layer = np.arange(len(values))
        ax.fill_between(layer, low, high, color=COLOURS[4], alpha=0.3)
        for number, curve in enumerate(values.T):
            colour, width = (LIT, 2) if number in lit else (COLOURS[0], 0.8)
            ax.plot(layer, curve, "-", color=colour, linewidth=width)
        ax.set(xlabel="layer", title=name, xlim=(0, None))
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        widths[name] = (high[-1] - low[-1]) / (high[0] - low[0])
    axes[0, 0].set(ylabel="one coordinate")
    if words:
        _name_curves(axes[0, 0], next(iter(rows.values()))[0], words, lit)
    told = "; ".join(
        f"{name}, {100 * width:.0f} % of its first width" for name, width in widths.items()
    )
    return figure, f"Curves, one for each token, over the layers. At the end the band has: {told}."


def _name_curves(ax: Axes, first: np.ndarray, words: Sequence[str], lit: Sequence[int]) -> None:
    """Words in the place of ticks, each at the first value of its curve."""
    ax.set_yticks(first, words)
    for number, label in enumerate(ax.get_yticklabels()):
        label.set(color=LIT if number in lit else QUIET)


def slopes(biases: np.ndarray, query: int) -> tuple[Figure, str]:
    """What a linear bias (H, T, T) adds to the scores of one query, a line per head."""
    figure, ax = plt.subplots()
    offset = np.arange(biases.shape[2]) - query
    for head, line in enumerate(biases[:, query]):
        ax.plot(offset, line, "-", color=COLOURS[head % len(COLOURS)], label=f"head {head}")
    ax.set(xlabel="offset j − i", ylabel="added to the score")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    lowest = biases[:, query].min(1)
    alt = (
        f"Tents over the offset, one for each of {len(biases)} heads, all with their top at 0: the "
        f"steepest falls to {lowest.min():.3g}, the flattest to {lowest.max():.3g}."
    )
    return figure, alt
