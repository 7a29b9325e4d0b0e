"""Figures about BERT and what goes into it: pieces of words, masks, parameters, attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from helpers import plots


def pieces(cut: Mapping[str, Sequence[str]], title: str) -> Figure:
    """A row for each word, with the pieces it was cut into."""
    figure, ax = plt.subplots(figsize=(7, 2.6))
    for y, found in enumerate(cut.values()):
        x = 0
        for n, piece in enumerate(found):
            colour, ink = ((plots.COLOURS[0], "white"), (plots.COLOURS[4], "black"))[n % 2]
            ax.barh(y, len(piece), left=x, color=colour, edgecolor="white")
            middle = x + len(piece) / 2
            ax.text(
                middle, y, piece, ha="center", va="center", color=ink, size=8, family="monospace"
            )
            x += len(piece)
    ax.set(title=title, xticks=[], yticks=range(len(cut)), yticklabels=list(cut))
    ax.invert_yaxis()
    return figure


def kinds(table: Any, names: Sequence[str], title: str) -> Figure:
    """A coloured place for each number in `table`, (rows, places); n is called `names[n]`."""
    marked = [plots.COLOURS[n] for n in (1, 4, 2)]  # as in helpers.pictures.text
    paints = ListedColormap(["none", "#a8a8a880", *marked])
    figure, ax = plt.subplots(figsize=(8, 3.4))
    ax.imshow(table, cmap=paints, vmin=-0.5, vmax=len(names) - 0.5)
    for kind, name in enumerate(names):
        ax.plot([], "s", color=paints(kind), markeredgecolor="grey", label=name)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    ax.set(xlabel="position", ylabel="row", title=title)
    return figure


def strips(vectors: Mapping[str, Any], tokens: Sequence[str]) -> Figure:
    """Named strips, (T, D) each, one below the other; a column for each token, [SEP] framed."""
    figure, axes = plt.subplots(len(vectors), 1, figsize=(8, 5.4), sharex=True)
    for ax, (name, strip) in zip(axes, vectors.items(), strict=True):
        picture = ax.imshow(strip.detach().T, cmap=plots.DIVERGING, vmin=-2.5, vmax=2.5)
        ax.set_ylabel(name, rotation=0, ha="right", va="center")
        ax.set_yticks([])
        for n in (n for n, token in enumerate(tokens) if token == "[SEP]"):
            ax.axvspan(n - 0.5, n + 0.5, fill=False, edgecolor="black", linewidth=1.5)
    axes[-1].set_xticks(range(len(tokens)), tokens, rotation=60, size=8)
    figure.colorbar(picture, ax=axes)
    return figure


def attention(weights: Any, title: str, corner: int = 8) -> Figure:
    """Who looks at whom, (T, T), and beside it how the last `corner` look at the first."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    names = {"x": "key j", "y": "query i"}
    plots.heatmap(axes[0], weights, **names, title=title, limit=1)
    plots.heatmap(axes[1], weights[-corner:, :corner], **names, title="lower left", limit=1)
    axes[1].set_yticks(range(corner), range(len(weights) - corner, len(weights)))
    return figure
