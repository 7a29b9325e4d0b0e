"""Positions as the hands of clocks, and queries and keys that turn."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle

from helpers.pictures.sketch import LIT, QUIET
from helpers.plots import COLOURS


def clocks(first: int = 0, hands: int = 4, base: float = 10_000.0) -> tuple[Figure, str]:
    """Eight positions from `first` on, each a clock face with `hands` hands, the fastest longest.

    Hand i stands at p·ω_i radians, counted from twelve o'clock to the right, so that its tip has
    the sine to the right and the cosine upward.
    """
    figure, ax = plt.subplots(figsize=(7.4, 1.85))  # eight axes would take twice as long
    ax.set(xlim=(-1.1, 18.7), ylim=(-1.1, 1.6), aspect="equal")
    ax.axis("off")
    for face in range(8):
        centre, position = 2.5 * face, first + face
        ax.add_patch(Circle((centre, 0), 1, fill=False, edgecolor=QUIET))
        ax.text(centre, 1.2, f"p = {position}", ha="center")
        for hand in range(hands):
            angle = position * base ** (-hand / hands)
            length = 0.92 - 0.6 * hand / max(1, hands - 1)
            tip = centre + length * math.sin(angle), length * math.cos(angle)
            name = None if face else f"hand i = {hand}"
            ax.plot([centre, tip[0]], [0, tip[1]], "-", color=COLOURS[hand % 6], lw=2, label=name)
    figure.legend(title=f"D = {2 * hands}", loc="outside lower center", ncols=hands)
    alt = (
        f"Eight clock faces for positions {first} to {first + 7}, each with {hands} hands, so "
        f"D = {2 * hands}. From one face to the next every hand turns by an angle of its own: the "
        "hand drawn longest by one radian, each shorter one by less, the last hardly at all."
    )
    return figure, alt


def _face(ax: Axes) -> None:
    ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor=QUIET))
    ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
    ax.axis("off")


def turning(i: int, j: int, by: int = 3, theta: float = 0.3) -> tuple[Figure, str]:
    """A query at i and a key at j, turned by i·θ and j·θ; then both `by` positions further on."""
    figure, axes = plt.subplots(1, 3, figsize=(7.4, 2.6))
    for ax, places, title in (
        (axes[0], (0, 0), "before"),
        (axes[1], (i, j), f"turned: i = {i}, j = {j}"),
        (axes[2], (i + by, j + by), f"turned: i = {i + by}, j = {j + by}"),
    ):
        _face(ax)
        angles = 0.4 + places[0] * theta, 1.0 + places[1] * theta
        for name, angle, colour in zip("qk", angles, (COLOURS[0], LIT), strict=True):
            tip = math.cos(angle), math.sin(angle)
            ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2})
            ax.text(1.2 * tip[0], 1.2 * tip[1], name, ha="center", va="center", color=colour)
        between = sorted(math.degrees(each) for each in angles)
        ax.add_patch(Arc((0, 0), 0.7, 0.7, theta1=between[0], theta2=between[1], color=QUIET))
        ax.set(xlim=(-1.4, 1.4), ylim=(-1.4, 1.4), title=title)
    angle = math.degrees(0.6 + (j - i) * theta)
    alt = (
        f"A query and a key as arrows on a circle: before turning, after turning by {i} and {j} "
        f"times {theta:g} radians, and by {i + by} and {j + by} times. Between them lie 34 degrees "
        f"before, and {angle:.0f} both times after: only the difference of the positions counts."
    )
    return figure, alt
