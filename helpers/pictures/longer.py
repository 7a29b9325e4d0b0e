"""RoPE in longer texts: frequencies by pair, positions in a padded cache, a picture's angles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from helpers import plots
from helpers.pictures.sketch import LIT, QUIET, box, plane, write

CELL = 5.0  # tenths of an inch


def slowed(
    ways: Mapping[str, Sequence[float]], turns: Sequence[float], low: float, high: float
) -> tuple[Figure, str]:
    """What is left of each pair's frequency in each way, over how often the pair turned.

    Args:
        ways: name → θ′_n/θ_n of each pair, (d/2,).
        turns: of each pair in a training text, (d/2,).
        low, high: between these numbers of turns is the ramp, shaded.
    """
    figure, ax = plt.subplots()
    ax.axvspan(low, high, color="grey", alpha=0.2, linewidth=0)
    plots.lines(
        ax,
        {name: (turns, kept) for name, kept in ways.items()},
        x="turns of the pair in a training text (logarithmic)",
        y="θ′ₙ/θₙ",
    )
    ax.set_xscale("log")
    ax.set(ylim=(0, 1.08))
    ends = "; ".join(
        f"{name} from {float(kept[0]):.3g} for the fastest pair to {float(kept[-1]):.3g} for the "
        "slowest"
        for name, kept in ways.items()
    )
    return figure, (
        f"What is left of each pair's frequency, by its turns in training: {ends}. Between {low:g} "
        f"and {high:g} turns, shaded, is the ramp."
    )


def places(mask: Any, found: Any, cached: int) -> tuple[Figure, str]:
    """A padded batch behind a cache: a cell for each column, with the position of its token.

    Args:
        mask: (B, S), True where a token stands.
        found: positions of all columns, (B, S).
        cached: how many columns are in the cache; the others are new, and lit.
    """
    mask, found = np.asarray(mask), np.asarray(found)
    rows, width = mask.shape
    figure, ax = plane(CELL * width + 12, CELL * rows + 4)
    told = []
    for row in range(rows):
        y = CELL * (rows - row) - 2
        write(ax, (0.5, y), f"text {row}", align="left")
        for column in range(width):
            centre = (10 + CELL * (column + 0.5), y)
            text = f"{found[row, column]}" if mask[row, column] else "·"
            lit = column >= cached and bool(mask[row, column])
            box(ax, centre, (4.2, 4.0), text, lit=lit, quiet=not mask[row, column])
        old, new = (
            [f"{p}" for p, real in zip(found[row, part], mask[row, part], strict=True) if real]
            for part in (slice(cached), slice(cached, None))
        )
        padded = int((~mask[row]).sum())
        told.append(f"text {row}: {padded} of padding, {' '.join(old)}, then {' '.join(new)}")
    write(ax, (10 + CELL * cached / 2, CELL * rows + 2), "in the cache")
    write(ax, (10 + CELL * (cached + width) / 2, CELL * rows + 2), "new")
    return figure, f"Positions in a padded batch; new ones are lit. {'; '.join(told)}."


def grid(rows: int, columns: int, angles: Any, titles: Sequence[str]) -> tuple[Figure, str]:
    """The patches of a picture as clock faces, once for each pair that is shown.

    Args:
        angles: of each patch, row by row, one column for each title, (R·C, pairs shown).
    """
    angles = np.asarray(angles).reshape(rows, columns, len(titles))
    figure, axes = plt.subplots(1, len(titles), figsize=(3.4 * len(titles), 3.4 * rows / columns))
    told = []
    for pair, (ax, title) in enumerate(zip(np.atleast_1d(axes), titles, strict=True)):
        _faces(ax, angles[..., pair], title)
        by_row = np.ptp(angles[..., pair], 1).max() < 1e-6
        told.append(f"{title}: the same along each {'row' if by_row else 'column'}")
    alt = f"{rows} by {columns} patches, each a clock face with a hand at its angle"
    return figure, f"{alt}. {'; '.join(told)}."


def _faces(ax: Axes, angles: np.ndarray, title: str) -> None:
    for (row, column), angle in np.ndenumerate(angles):
        tip = column + 0.4 * math.sin(angle), row - 0.4 * math.cos(angle)
        ax.plot([column, tip[0]], [row, tip[1]], "-", color=LIT, linewidth=2)
        ax.add_patch(Circle((column, row), 0.42, fill=False, edgecolor=QUIET))
    ax.set(
        xlim=(-0.6, angles.shape[1] - 0.4),
        ylim=(angles.shape[0] - 0.4, -0.6),
        aspect="equal",
        xlabel="column",
        ylabel="row",
        title=title,
        xticks=range(angles.shape[1]),
        yticks=range(angles.shape[0]),
    )
