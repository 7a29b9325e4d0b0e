"""Unit 09: what several of its exercises draw and ask with."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import torch

from helpers.checks.engine import Answer

Ask = Callable[[Answer], Any]


def ask_for(name: str, *given: Any, keys: Sequence[str] | None = None) -> Ask:
    """Asks for one entry of the dict that an answer returns; columns of numbers as tensors.

    With `keys` the entry is a dict as well, of which these are looked at and no others.
    """

    def ask(answer: Answer) -> Any:
        value = entry_of(answer(*copy.deepcopy(given)), name)
        if keys is None:
            return value if name == "verdict" else as_numbers(value)
        if value is None:
            return None
        return {key: as_numbers(entry_of(value, key, f"{name}: ")) for key in keys}

    return ask


def entry_of(found: Any, name: str, where: str = "") -> Any:
    """found[name], None where nothing was found; an error in plain words where it has none."""
    if found is None:
        return None
    if type(found) is not dict:
        raise TypeError(f"{where}expected a dict, found {type(found).__name__}")
    if name not in found:
        raise KeyError(f"{where}the dict has no entry {name}")
    return found[name]


def as_numbers(value: Any) -> Any:
    """A column or a list as numbers that can be compared; all else as it is."""
    if isinstance(value, pd.Series):
        return value.to_numpy()
    return torch.tensor(value) if isinstance(value, list) else value
