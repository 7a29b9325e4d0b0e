"""Figures about BERT and what goes into it: pieces of words, masks, parameters, attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from torch import Tensor

from helpers import plots

FATES = "special or padding", "word", "[MASK]", "random word", "chosen, kept"
MASK = 4  # as in helpers.corpora.wordpiece, which stands above this room


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


def masks(tokens: Tensor, seen: Any, targets: Any) -> tuple[Figure, str]:
    """What masking did at each position of some rows; tokens, seen and targets are (B, T)."""
    seen, chosen = torch.as_tensor(seen), torch.as_tensor(targets) != -100
    table = torch.where(chosen, 4, (tokens >= 5).long())  # 0 … 4, as in FATES
    table = torch.where(chosen & (seen != tokens), torch.where(seen == MASK, 2, 3), table)
    marked = [plots.COLOURS[n] for n in (1, 4, 2)]  # as in helpers.pictures.text
    paints = ListedColormap(["none", "#a8a8a880", *marked])
    figure, ax = plt.subplots(figsize=(8, 3.4))
    ax.imshow(table, cmap=paints, vmin=-0.5, vmax=len(FATES) - 0.5)
    for fate, name in enumerate(FATES):
        ax.plot([], "s", color=paints(fate), markeredgecolor="grey", label=name)
    plots.legend(ax)
    masked = f"{(seen == MASK).sum() / (tokens >= 5).sum():.1%} of the words are [MASK]"
    ax.set(xlabel="position", ylabel="row", title=masked)
    return figure, f"{len(tokens)} rows of {tokens.shape[1]} tokens: {masked}."


def strips(vectors: Mapping[str, Any], tokens: Sequence[str]) -> tuple[Figure, str]:
    """The vectors that are added and their sum, (T, D) each; a column a token, [SEP] framed."""
    figure, axes = plt.subplots(len(vectors), 1, figsize=(8, 5.4), sharex=True)
    for ax, (name, strip) in zip(axes, vectors.items(), strict=True):
        picture = ax.imshow(strip.detach().T, cmap=plots.DIVERGING, vmin=-2.5, vmax=2.5)
        ax.set_ylabel(name, rotation=0, ha="right", va="center")
        ax.set_yticks([])
        for n in (n for n, token in enumerate(tokens) if token == "[SEP]"):
            ax.axvspan(n - 0.5, n + 0.5, fill=False, edgecolor="black", linewidth=1.5)
    axes[-1].set_xticks(range(len(tokens)), tokens, rotation=60, size=8)
    figure.colorbar(picture, ax=axes)
    return figure, (
        "Strips by position: tokens differ, [SEP] and [PAD] repeat; segments have two patterns; "
        "each position has its own; the sum has no two columns alike. The two [SEP] are framed."
    )


def attention(weights: Any, layer: int, head: int, corner: int = 8) -> tuple[Figure, str]:
    """Who looks at whom, and beside it how the last `corner` positions look at the first.

    Args:
        weights: (layers, heads, T, T); layers and heads are counted from 1.
    """
    shown, title = weights[layer - 1, head - 1], f"layer {layer}, head {head}"
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    names: dict[str, Any] = {"x": "key j", "y": "query i"}
    plots.heatmap(axes[0], shown, **names, title=title, limit=1)
    plots.heatmap(axes[1], shown[-corner:, :corner], **names, title="lower left", limit=1)
    axes[1].set_yticks(range(corner), range(len(shown) - corner, len(shown)))
    return figure, (
        f"Attention of {title}: all {len(shown)} positions, and the last {corner} to the first "
        f"{corner}."
    )


def by_offset(table: Tensor) -> tuple[Figure, str]:
    """Mean cosine of two rows by their offset, after the mean row is taken off; (T, D)."""
    unit = F.normalize(table.detach() - table.detach().mean(0), dim=1)
    alike = unit @ unit.T
    mean = [float(alike.diagonal(offset).mean()) for offset in range(len(table))]
    figure, ax = plt.subplots(figsize=(7, 2.4))
    plots.lines(ax, {"": (range(1, len(table)), mean[1:])}, x="offset", y="mean cosine")
    most = max(range(2, len(table)), key=mean.__getitem__)
    near = ", ".join(
        f"{mean[n]:.2f} at {n}" for n in (1, most - 1, most, most + 1) if n < len(mean)
    )
    return figure, f"Mean cosine by offset: {near}."
