"""The recorded study: each measured claim on 20 seeds (benchmarks/claims_study.py)."""

from __future__ import annotations

import math
import statistics
from typing import NamedTuple

import pandas as pd

from helpers import recorded


def rows(number: int) -> pd.DataFrame:
    """What `Claim.measure` gave for claim `number`, a row a seed.

    Raises:
        ValueError: the study has no such claim.
    """
    table = recorded.load("claims").table
    chosen = table[table["claim"] == number]
    if chosen.empty:
        raise ValueError(f"number={number}: the study has {sorted(set(table['claim']))}")
    return chosen.pivot(index="seed", columns="number", values="value").reset_index()


class Mean(NamedTuple):
    """Mean and standard deviation (n − 1) over the seeds; prints as mean ± spread."""

    mean: float
    std: float

    def __str__(self) -> str:
        if self.std < 5e-4:
            return short(self.mean) + (f" ± {short(self.std)}" if self.std else "")
        digits = max(0, 1 - math.floor(math.log10(self.std)))  # two digits of the spread
        return f"{self.mean:.{digits}f} ± {self.std:.{digits}f}".replace("-", "−")


def mean(number: int, name: str) -> Mean:
    """One number of claim `number`."""
    values = rows(number)[name].tolist()
    return Mean(statistics.fmean(values), statistics.stdev(values))


def short(value: float) -> str:
    """A number with about three digits: 1,024, 0.359, 2e-16."""
    size = abs(value)
    if value == round(value) and size < 1e6:
        text = f"{size:,.0f}"
    elif size < 5e-4:
        text = f"{size:.0e}"
    else:
        text = f"{size:,.{0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 1 else 3}f}"
    return "−" + text if value < 0 else text
