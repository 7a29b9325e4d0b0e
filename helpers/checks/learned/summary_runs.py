"""Unit 03, “What a sweep says”: the sweeps that are made up to ask about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from statistics import mean, median, stdev
from typing import Any

import numpy as np
import pandas as pd

NAMES = (
    *("alibi", "cope", "fourier", "fourier, gamma 8", "learned", "learned, std 1", "none"),
    *("learned, std 0.02", "relative", "rotary", "rotary, base 500", "sinusoidal", "T5"),
    *("Sinusoidal, sum", "no, nothing"),
)


def made_up(rng: Random, encodings: int = 5) -> tuple[pd.DataFrame, int, int]:
    """A synthetic sweep in no order, and two lengths in it.

    Each encoding has seeds, losses and limits of its own; one more was never measured at the first
    length. Labels of the index are repeated, as where two sweeps are joined.
    """
    while True:
        lengths = rng.sample((16, 24, 32, 48, 64), 3)
        lengths.append(10 * lengths[0] + rng.randint(1, 9))  # as text it begins with the first
        lengths += [lengths[0] - 1, lengths[0] + 1]
        *names, never = rng.sample(NAMES, encodings + 1)
        rows = [row for name in names[2:] for row in _runs_of(rng, name, lengths)]
        rows += _runs_of(rng, names[1], lengths, rng.randint(11, 14))
        rows += _runs_of(rng, names[0], lengths, alike=True)
        rows += _runs_of(rng, never, lengths[1:])
        rng.shuffle(rows)
        if _orders_differ(rows, lengths[0]):
            some = rng.sample(range(1000), len(rows) // 2 + 1)  # as behind a choice of rows
            index = (some + some[::-1])[: len(rows)]
            return pd.DataFrame(rows, index=index), *lengths[:2]


def _runs_of(
    rng: Random, name: str, lengths: list[int], seeds: int = 0, alike: bool = False
) -> Iterator[dict[str, Any]]:
    """So many seeds at each length, or two to five; `alike`: two, whose losses are equal.

    Seeds whose losses are equal differ in nothing but the seed.
    """
    level, floor = rng.uniform(1, 2), rng.uniform(0.1, 2)
    size = 4.5  # some means are below 10 and others above
    seeds = seeds or rng.randint(2, 5)
    losses = [level + rng.gauss(0, 0.2) + rng.uniform(0, 0.5) for _ in range(seeds)]
    if alike:
        losses = losses[:1] * 2  # of three, rounding would leave a deviation that is not 0
    elif len(losses) > 2:
        losses[-1] = losses[0]  # two seeds may end alike
    others = {
        first: (rng.uniform(0, 0.2), rng.random(), rng.choice((100, 200, 400))) for first in losses
    }
    for seed, first in zip(rng.sample(range(20), len(losses)), losses, strict=True):
        more, accuracy, steps = others[first]
        for length in lengths:
            loss, limit = first * (1 + length / 100), floor + length / 200 + more
            row = {"encoding": name, "seed": seed, "steps": steps, "length": length}
            yield row | {"loss": size * loss, "limit": size * limit, "accuracy": accuracy}


def _orders_differ(rows: list[dict[str, Any]], length: int) -> bool:
    """Whether what else one could sort by gives another order than the mean."""
    here: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["length"] == length:
            here.setdefault(row["encoding"], []).append(row)
    best = _order(here, lambda found: mean(row["loss"] for row in found))
    others = [_order(here, measure) for measure in MEASURES]
    return best not in [*others, best[::-1], list(here), sorted(here), sorted(here, reverse=True)]


def _order(here: dict[str, list[dict[str, Any]]], measure: Callable[[Any], Any]) -> list[str]:
    return sorted(here, key=lambda name: measure(here[name]))


# What else one could sort the encodings by.
MEASURES: tuple[Callable[[Any], Any], ...] = (
    lambda found: str(mean(row["loss"] for row in found)),
    lambda found: mean(row["loss"] - row["limit"] for row in found),
    lambda found: stdev(row["loss"] for row in found),
    lambda found: min(row["loss"] for row in found),
    lambda found: max(row["loss"] for row in found),
    lambda found: median(row["loss"] for row in found),
    lambda found: mean(row["limit"] for row in found),
    lambda found: mean(-row["accuracy"] for row in found),
    lambda found: sum(row["loss"] for row in found),
    lambda found: found[0]["loss"],
    len,
    lambda found: len(found[0]["encoding"]),
)


def equal_means(runs: pd.DataFrame, length: int) -> pd.DataFrame:
    """As large a sweep with other losses: two means are the same, one is below its limit."""
    losses = 70 - 1.5 * runs["loss"].to_numpy()
    limits = runs["limit"].to_numpy(copy=True)
    below, *equal = _measured(runs, length)[:3]
    limits[_rows(runs, length, below)] = losses[_rows(runs, length, below)] + 0.5
    for name, step in zip(equal, (0.25, 0.5), strict=True):
        rows = _rows(runs, length, name)
        # Of whole numbers and quarters, so that no sum of them is rounded.
        places = np.arange(rows.sum())
        losses[rows] = 40.5 + step * (places - places.mean())
    return runs.assign(loss=losses, limit=limits)


def nearly_equal_means(runs: pd.DataFrame, length: int) -> pd.DataFrame:
    """As large a sweep with other losses; two pairs of encodings have nearly the same mean.

    In the one the better comes first in the alphabet, in the other it does not.
    """
    losses = 70 - 1.5 * runs["loss"].to_numpy()
    a, b, c, d = _measured(runs, length)[:4]
    for name, wanted in ((a, 41.50001), (b, 41.50002), (c, 45.20002), (d, 45.20001)):
        rows = _rows(runs, length, name)
        losses[rows] += wanted - losses[rows].mean()
    return runs.assign(loss=losses)


def _measured(runs: pd.DataFrame, length: int) -> list[str]:
    return sorted(set(runs["encoding"][(runs["length"] == length).to_numpy()]))


def _rows(runs: pd.DataFrame, length: int, name: str) -> Any:
    """Which rows are those of an encoding at a length, as an array of True and False."""
    return ((runs["length"] == length) & (runs["encoding"] == name)).to_numpy()
