"""Pictures of measurements: numbers beside what a claim would have them be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from helpers import plots
from helpers.claims.claim import FAILS, HOLDS, OPEN, Claim, Part
from helpers.claims.order import along_and_overall
from helpers.claims.small import TASKS, accuracy, form, fresh, hits, trained
from helpers.claims.study import over, short
from helpers.claims.trained import (
    SMOOTH,
    accuracy_by_row,
    between_positions,
    who_looks_where,
)
from helpers.encodings import sinusoidal_table
from helpers.model.encoder import Encoder

NAMES = {"learned": "learned table", "sinusoidal": "sinusoids", "shaw_keys": "Shaw, by offset"}
TABLES = ("learned", "sinusoidal")


def strips(claim: Claim, table: pd.DataFrame) -> Figure:
    """A strip for each part: a dot a seed, and shaded where the claim would have it."""
    count = len(claim.parts)
    figure, axes = plt.subplots(count, 1, figsize=(7, 0.5 + 0.95 * count), squeeze=False)
    for ax, part in zip(axes[:, 0], claim.parts, strict=True):
        _strip(ax, part, table[part.number].tolist())
    figure.suptitle(f"claim {claim.number}: {claim.verdict(table)}", fontsize=10)
    return figure


def _strip(ax: Axes, part: Part, values: list[float]) -> None:
    ends = [end for end in (part.low, part.high) if math.isfinite(end)]
    if _far_apart([*values, *ends]):
        ax.set_xscale("log")
    ax.scatter(values, [0.0] * len(values), s=22, alpha=0.6, zorder=3)
    for end in ends:
        ax.axvline(end, color=plots.COLOURS[1], linestyle="-", linewidth=1.5)
    # The axis shows the numbers; what is shaded goes on beyond it.
    left, right = ax.get_xlim()
    low, high = max(part.low, left), min(part.high, right)
    ax.axvspan(low, high, color=plots.COLOURS[1], alpha=0.15, linewidth=0)
    ax.set(xlim=(left, right), yticks=[], ylim=(-1, 1), xlabel=part.unit)
    ax.set_title(f"{part.says}: {part.verdict(values)}", loc="left", fontsize=9)
    ax.spines["left"].set_visible(False)


def _far_apart(values: list[float]) -> bool:
    return min(values) > 0 and max(values) / min(values) > 1000


def in_words(claim: Claim, table: pd.DataFrame) -> str:
    """The text that stands for `strips`."""
    found = claim.findings(table)
    parts = [
        f"{row['the claim says that']}: {short(row['mean'])} {row['unit']}, {row['verdict']}"
        for row in found.to_dict("records")
    ]
    return f"Claim {claim.number}: {claim.verdict(table)} ({'; '.join(parts)})."


def _wanted(low: float, high: float) -> str:
    """The interval that a claim stands for, in words."""
    if low == high:
        return f"exactly {low:g}"
    if low == -math.inf:
        return f"at most {high:g}"
    return f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"


def told(claim: Claim, numbers: Mapping[str, Sequence[float]], decide: Callable[..., str]) -> str:
    """Each part of a claim with what `decide` says of it."""
    lines = []
    for part in claim.parts:
        values = [*map(float, numbers[part.number])]
        wanted = _wanted(part.low, part.high)
        verdict = decide(values, part.low, part.high)
        lines.append(f"  - {part.says}: {over(values)} {part.unit}, {wanted}: {verdict}")
    return "\n".join(lines)


def alone(draw: Callable[[Axes], None]) -> Figure:
    """`learning` or `places` as a figure of its own."""
    figure, ax = plt.subplots()
    draw(ax)
    ax.legend()
    return figure


def trials(decide: Callable[..., str], seeds: int, spread: float) -> tuple[Figure, str]:
    """What `decide` says of “below 0” in 200 trials, where the true mean is 1."""
    draw = torch.Generator().manual_seed(0)
    values = 1 + spread * torch.randn(200, seeds, generator=draw)
    found = [decide(each.tolist(), high=0.0) for each in values]
    names = HOLDS, OPEN, FAILS
    fractions = [found.count(each) / len(found) for each in names]
    figure, ax = plt.subplots(figsize=(6, 2.2))
    ax.barh(names, fractions, color=plots.COLOURS[0])
    ax.set(xlim=(0, 1), xlabel=f"fraction of 200 trials, {seeds} seeds, spread {spread:.2f}")
    return figure, f"A wrong claim: {fractions[2]:.0%} refuted, {fractions[1]:.0%} left open."


def products(scores: Tensor, title: str = "products of two rows") -> Figure:
    """Products of rows, query by key, (T, T)."""
    figure, ax = plt.subplots(figsize=(5, 3.4))
    plots.heatmap(ax, scores, x="key j", y="query i", title=title)
    return figure


def mixed(table: Tensor, noise: float, seed: int) -> tuple[Figure, str]:
    """Products of the rows of `table`, (T, D), with a matrix between them that is partly random."""
    width = table.shape[1]
    drawn = torch.randn(width, width, generator=torch.Generator().manual_seed(seed)).double()
    between = (1 - noise) * torch.eye(width).double() + noise * drawn
    scores = table @ between @ table.T
    title = f"{noise:.2f} random: r = {along_and_overall(scores):.2f}"
    return products(scores, title), f"Products of {len(table)} rows, {title}."


def learning(ax: Axes, seeds: tuple[int, ...] = (0, 1, 2), full: bool = False) -> None:
    """Loss by step on *shift*, a thin line for each seed; rows of tables as long as the words."""
    for colour, (kind, name) in zip(plots.COLOURS, NAMES.items(), strict=False):
        norm = 1.0 if kind in TABLES else None
        for seed in seeds:
            losses = torch.tensor(trained("shift", kind, seed, full, norm)[1])
            smooth = losses.unfold(0, SMOOTH, 1).mean(1)
            steps = range(SMOOTH, len(losses) + 1)
            label = name if seed == seeds[0] else None
            ax.plot(steps, smooth, color=colour, linestyle="-", linewidth=1.2, label=label)
    ax.set(
        xlabel="step", ylabel="loss (nats)", title="learning: three positions back", ylim=(0, None)
    )
    ax.legend()


def places(ax: Axes, seeds: tuple[int, ...] = (0, 1, 2), full: bool = False) -> None:
    """Accuracy by position in a text twice as long as those trained on."""
    length = form(full).length
    for name, label in NAMES.items():
        found = [hits(trained("shift", name, s, full)[0], "shift", 2 * length) for s in seeds]
        right = [accuracy(torch.cat(found), p, p + 1) for p in range(3, 2 * length)]
        ax.plot(range(3, 2 * length), right, label=label)
    ax.axvline(length - 0.5, color="grey", linestyle="-", linewidth=1)
    ax.set(xlabel="position (grey: end of training texts)", ylabel="accuracy", ylim=(0, 1.05))
    ax.set_title("in a text twice as long as those trained on")


def rows_by_lengths(short_text: int, every: int, seed: int = 0) -> tuple[Figure, str]:
    """Accuracy by position, with one length and with one long batch in `every`."""
    mixes = {
        "always 32 tokens": (32,),
        f"mostly {short_text} tokens": (short_text,) * (every - 1) + (32,),
    }
    curves = {name: (range(32), accuracy_by_row(lengths, seed)) for name, lengths in mixes.items()}
    figure, ax = plt.subplots()
    plots.lines(ax, curves, x="position", y="accuracy", title=f"one long batch in {every}")
    ax.set(ylim=(0, 1.05))
    mix = f"{short_text} tokens but for one batch in {every}"
    return figure, f"Accuracy by position: always 32 tokens; {mix}."


def tables(seed: int = 0, full: bool = False) -> Figure:
    """Cosine of every two rows: sinusoids, a learned table as drawn, and after training."""
    size = form(full)
    models = {
        "a table as drawn": fresh("learned", TASKS["shift"], seed, size, 2 * size.length),
        "the same after training": trained("shift", "learned", seed, full)[0],
    }
    learned = {name: rows_of(model, size.length) for name, model in models.items()}
    return cosines({"sinusoids": sinusoidal_table(size.length, size.width), **learned})


def rows_of(model: Encoder, length: int) -> Tensor:
    """The first rows of a model's table, (length, D), float64."""
    return model.position.get_parameter("table")[:length].detach().double()


def cosines(shown: Mapping[str, Tensor]) -> Figure:
    """Cosine of every two rows of each table."""
    figure, axes = plt.subplots(1, len(shown), figsize=(3.4 * len(shown), 2.9), squeeze=False)
    for ax, (name, rows) in zip(axes[0], shown.items(), strict=True):
        unit = rows / rows.norm(dim=1, keepdim=True)
        plots.heatmap(ax, unit @ unit.T, x="position", y="position", title=name, limit=1)
        ax.images[0].set(cmap=plots.DIVERGING, clim=(-1, 1))  # one scale, negative or not
    return figure


def from_rows_to_weights(model: Encoder, length: int) -> tuple[Figure, str]:
    """Where the distance is: not in the rows, faintly behind the matrices, plain in the weights."""
    rows = rows_of(model, length)
    weights = who_looks_where(model, length)
    found = {
        "rows: $P P^T$": rows @ rows.T,
        "between, sum of heads: $P W P^T$": rows @ between_positions(model).sum(0) @ rows.T,
        "attention weights": weights,
    }
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3))
    for ax, (title, products) in zip(axes, found.items(), strict=True):
        plots.heatmap(ax, products, x="key j", y="query i", title=title)
    alt = (
        "Three squares of queries and keys. The products of the rows: a diagonal and noise. With "
        "the model's matrices between them: noise, and a stripe three left of the diagonal. The "
        f"attention weights: mostly that stripe, {weights.diagonal(-3).mean():.2f} on average."
    )
    return figure, alt
