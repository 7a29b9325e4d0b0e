"""The map of the course: a layer of a Transformer, and the four hooks where position can enter."""

from __future__ import annotations

from matplotlib.figure import Figure

from helpers.encodings.base import HOOKS
from helpers.pictures.sketch import arrow, box, plane, write

SAYS = {
    "embed": "at the input: a vector for each position, added to the token's vector",
    "rotate": "on queries and keys, before their product",
    "bias": "on the scaled scores, before the softmax",
    "context": "on what is read with the attention weights",
}


def hooks(*lit: str) -> tuple[Figure, str]:
    """The map with the hooks `lit`, those that a unit is about.

    Raises:
        ValueError: there is no such hook.
    """
    if unknown := set(lit) - set(HOOKS):
        raise ValueError(f"no hook {', '.join(sorted(unknown))}; there are {', '.join(HOOKS)}")
    figure, ax = plane(74, 23)
    box(ax, (5, 9), (8, 4), "tokens")
    arrow(ax, (9, 9), (11, 9))
    box(ax, (15, 9), (8, 5), "+ embed", "embed" in lit)
    arrow(ax, (19, 9), (23, 9))
    box(ax, (46, 10.5), (45, 20), "", quiet=True)
    write(ax, (46, 21.8), "in every layer")
    for y, name in ((16, "$W_Q$"), (10, "$W_K$"), (4, "$W_V$")):
        arrow(ax, (23, 9), (25, 9), (25, y), (26.5, y))
        box(ax, (28.5, y), (4, 4), name)
    box(ax, (36, 13), (7, 9.5), "rotate", "rotate" in lit)
    for y in (16, 10):
        arrow(ax, (30.5, y), (32.5, y))
    arrow(ax, (39.5, 13), (41.5, 13))
    box(ax, (43.5, 13), (4, 5), "q · k")
    arrow(ax, (45.5, 13), (47, 13))
    box(ax, (51, 13), (8, 5), "+ bias", "bias" in lit)
    arrow(ax, (55, 13), (56.5, 13))
    box(ax, (60.5, 13), (8, 5), "softmax")
    arrow(ax, (60.5, 10.5), (60.5, 6.5))
    arrow(ax, (30.5, 4), (45, 4))
    box(ax, (48.5, 4), (7, 4), "values")
    arrow(ax, (52, 4), (56, 4))
    box(ax, (61, 4), (10, 5), "+ context", "context" in lit)
    arrow(ax, (66, 4), (72, 4))
    told = "; ".join(f"{name}, {SAYS[name]}" for name in lit) or "none of them"
    alt = (
        "A map from the tokens through one layer of attention to its output, with four hooks where "
        f"position can enter: {', '.join(HOOKS)}. Highlighted is {told}."
    )
    return figure, alt
