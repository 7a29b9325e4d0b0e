"""One token's attention: its query, everybody's keys, and how much it reads of each value."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.figure import Figure

from helpers.pictures.sketch import LIT, QUIET, arrow, box, plane, write

STEP = 15  # from word to word


def reading(words: Sequence[str], scores: Sequence[float], query: int) -> tuple[Figure, str]:
    """How token `query` reads the others.

    Args:
        words: the tokens.
        scores: what its query's product with each key comes to; the softmax gives the weights.
    """
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    weights = [power / sum(powers) for power in powers]
    figure, ax = plane(STEP * len(words) + 16, 41)
    score = r"score $q \cdot k/\sqrt{d}$"
    rows = {32.5: "$W_Q$, $W_K$, $W_V$", 23.5: score, 17.5: "softmax", 10: "read"}
    for y, name in rows.items():
        write(ax, (10, y), name, align="right")
    asking = 20 + STEP * query
    for number, word in enumerate(words):
        x = 20 + STEP * number
        box(ax, (x, 38.5), (11, 3.8), word, lit=number == query)
        for at, name in ((x - 4, "q"), (x, "k"), (x + 4, "v")):
            used = name != "q" or number == query
            arrow(ax, (at, 36.5), (at, 34.5), lit=name == "q" and number == query)
            box(ax, (at, 32.5), (3.2, 3.6), f"${name}$", lit=name == "q" and used, quiet=not used)
        for start in (asking - 4, x):  # the query, and this word's key
            ax.plot([start, x], [30.6, 25], "-", color=QUIET, linewidth=0.8)
        write(ax, (x, 23.5), f"{scores[number]:g}")
        write(ax, (x, 17.5), f"{weights[number]:.2f}", weight="bold")
        down = [x + 4, x + 4, asking], [30.6, 17.5, 6.5]  # the value, as thick as its weight
        ax.plot(*down, "-", color=LIT, linewidth=0.3 + 7 * weights[number])
    box(ax, (asking, 4.2), (24, 4), f"sum of weight · $v$ for {words[query]}", lit=True)
    told = ", ".join(f"{word} {w:.2f}" for word, w in zip(words, weights, strict=True))
    alt = (
        f"Each of the words {', '.join(words)} has a query, a key and a value. The query of "
        f"“{words[query]}” meets every key; the softmax turns the scores into weights: {told}. "
        "From each value a line, as thick as its weight, leads to the sum of all, which is read."
    )
    return figure, alt
