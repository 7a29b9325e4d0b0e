"""A text with gaps, and what a model would put into each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers.pictures.sketch import LIT, box, plane, write

WIDTH, LINE, COLUMN = 84, 5, 28  # tenths of an inch: the page, a line of tokens, a gap's guesses
Guesses = Sequence[tuple[str, float]]


def filling(pieces: Sequence[str], gaps: Mapping[int, Guesses]) -> tuple[Figure, str]:
    """The pieces of a text, its gaps lit, and below the guesses for the first three gaps.

    Args:
        pieces: the tokens.
        gaps: index of a token → the likeliest pieces with their probabilities, best first.
    """
    shown = list(gaps.items())[:3]
    lines = _lines(pieces)
    most = max((len(guesses) for _, guesses in shown), default=1)
    figure, ax = plane(WIDTH, LINE * len(lines) + 3 * most + 3)
    y = LINE * len(lines) + 3 * most + 0.5
    for line in lines:
        x = 1.0
        for number in line:
            width = _width(pieces[number])
            box(ax, (x + width / 2, y), (width, 3.6), pieces[number], lit=number in gaps)
            x += width + 1
        y -= LINE
    for column, (_, guesses) in enumerate(shown):
        _bars(ax, 1 + COLUMN * column, 3 * most - 0.5, guesses)
    if not shown:
        write(ax, (2, 1.5), "Write [MASK] where a word is to be filled in.", align="left")
    told = "; ".join(", ".join(f"{piece} {p:.2f}" for piece, p in found) for _, found in shown)
    return figure, f"{' '.join(pieces)} Filled in: {told or 'nothing, as there is no [MASK]'}."


def _bars(ax: Axes, x: float, top: float, guesses: Guesses) -> None:
    for number, (piece, probability) in enumerate(guesses):
        y = top - 3 * number
        write(ax, (x + 11, y), piece, align="right", weight="normal" if number else "bold")
        ax.barh(y, 10 * probability, left=x + 12, height=2, color=LIT, alpha=0.6)
        write(ax, (x + 12.5 + 10 * probability, y), f"{probability:.2f}", align="left")


def _lines(pieces: Sequence[str]) -> list[list[int]]:
    """Indices of the pieces, line by line."""
    lines, end = [[]], 1.0  # type: list[list[int]], float
    for number, piece in enumerate(pieces):
        end += _width(piece) + 1
        if end > WIDTH and lines[-1]:
            lines.append([])
            end = 2.0 + _width(piece)
        lines[-1].append(number)
    return lines


def _width(piece: str) -> float:
    return 2 + 0.85 * len(piece)
