"""Unit 09: what its checks share, numbers with a given spread and one entry of a dict."""

from __future__ import annotations

import copy
import math
import statistics
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pandas as pd
import torch

from helpers.checks.exercise import Answer

Ask = Callable[[Answer], Any]


def around(rng: Random, mean: float, spread: float, skew: bool = False) -> list[float]:
    """Three seeds in any order, with this mean and this standard deviation (n − 1).

    With `skew`, one of them stands alone above the other two.
    """
    steps = (-1 / math.sqrt(3), -1 / math.sqrt(3), 2 / math.sqrt(3)) if skew else (-1, 0, 1)
    values = [mean + step * spread for step in steps]
    rng.shuffle(values)
    return values


def drawn(rng: Random, mean: float, spread: float, count: int) -> list[float]:
    """Numbers drawn at random, then moved to have this mean and this standard deviation (n − 1)."""
    found = [rng.gauss(0, 1) for _ in range(count)]
    centre, size = statistics.fmean(found), statistics.stdev(found)
    return [mean + spread * (value - centre) / size for value in found]


def entry(name: str, *given: Any, keys: Sequence[str] | None = None) -> Ask:
    """Asks for one entry of the dict that an answer returns; columns of numbers as tensors.

    With `keys` the entry is a dict as well, of which these are looked at and no others.
    """

    def ask(answer: Answer) -> Any:
        value = _within(answer(*copy.deepcopy(given)), name)
        if keys is None:
            return value if name == "verdict" else _column(value)
        if value is None:
            return None
        return {key: _column(_within(value, key, f"{name}: ")) for key in keys}

    return ask


def _within(found: Any, name: str, where: str = "") -> Any:
    if found is None:
        return None
    if type(found) is not dict:
        raise TypeError(f"{where}expected a dict, found {type(found).__name__}")
    if name not in found:
        raise KeyError(f"{where}the dict has no entry {name}")
    return found[name]


def _column(value: Any) -> Any:
    if isinstance(value, pd.Series):
        return value.to_numpy()
    return torch.tensor(value) if isinstance(value, list) else value
