"""The recorded study: each measured claim on 20 seeds, or those of the study that it reads."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from helpers import results
from helpers.claims.claim import Claim


def rows(number: int) -> pd.DataFrame:
    """What `Claim.measure` gave for claim `number`, a row a seed.

    Raises:
        ValueError: the study has no such claim.
    """
    table = results.load("claims").table
    chosen = table[table["claim"] == number]
    if chosen.empty:
        raise ValueError(f"number={number}: the study has {sorted(set(table['claim']))}")
    return chosen.pivot(index="seed", columns="number", values="value").reset_index()


def replayed(claim: Claim) -> Claim:
    """The same claim, but measuring it gives what the study has recorded for a seed."""
    table = rows(claim.number).set_index("seed")

    def measurement(seed: int, full: bool = False) -> dict[str, float]:
        if full or seed not in table.index:
            last = max(table.index)
            raise ValueError(
                f"seed={seed}, full={full}: recorded are quick forms of seeds 0 to {last}"
            )
        return {str(name): float(value) for name, value in table.loc[seed].items()}

    return replace(claim, measurement=measurement)


class Mean(NamedTuple):
    """Mean and standard deviation (n − 1) over the seeds; prints as mean ± spread."""

    mean: float
    std: float

    def __str__(self) -> str:
        if self.std < 5e-4:
            return short(self.mean) + (f" ± {short(self.std)}" if self.std else "")
        digits = max(0, 1 - math.floor(math.log10(self.std)))  # two digits of the spread
        return f"{self.mean:.{digits}f} ± {self.std:.{digits}f}".replace("-", "−")


def over(values: Iterable[float]) -> Mean:
    """Mean and spread of the values of some seeds, at least two."""
    listed = list(values)
    return Mean(statistics.fmean(listed), statistics.stdev(listed))


def mean(number: int, name: str) -> Mean:
    """One number of claim `number`."""
    return over(rows(number)[name])


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
