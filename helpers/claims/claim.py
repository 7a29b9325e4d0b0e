"""A claim, its parts, and the rule that turns measured numbers into a verdict."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

HOLDS, FAILS, PARTLY, OPEN = "holds", "does not hold", "holds in part", "not settled here"
VERDICTS = (HOLDS, FAILS, PARTLY, OPEN)
SEEDS = (0, 1, 2)

# Named numbers for a seed; the second argument asks for the full form instead of the quick one.
Measurement = Callable[[int, bool], Mapping[str, float]]


def settle(values: Sequence[float], low: float = -math.inf, high: float = math.inf) -> str:
    """Whether a number that was measured once for each seed lies between `low` and `high`.

    "holds" where mean ± 2 standard deviations (n − 1) is inside, both ends included, "does not
    hold" where all of it is outside on one side, else "not settled here".
    """
    mean = statistics.fmean(values)
    spread = 2 * statistics.stdev(values) if len(values) > 1 else 0.0
    if low <= mean - spread and mean + spread <= high:
        return HOLDS
    if mean + spread < low or mean - spread > high:
        return FAILS
    return OPEN


def overall(verdicts: Iterable[str]) -> str:
    """The verdict on a claim from those on its parts: one open part leaves it open."""
    found = set(verdicts)
    if not found or OPEN in found:
        return OPEN
    return found.pop() if len(found) == 1 else PARTLY


@dataclass(frozen=True)
class Part:
    """One thing that a claim says, as an interval in which a measured number would have to lie.

    Args:
        number: its name in the measurement.
        says: what the claim would have of it, in words.
        unit: of the number.
        low, high: ends of the interval, both included.
    """

    number: str
    says: str
    unit: str
    low: float = -math.inf
    high: float = math.inf

    def verdict(self, values: Sequence[float]) -> str:
        """See `settle`."""
        return settle(values, self.low, self.high)

    def margin(self, values: Iterable[float]) -> float:
        """How far the nearest value is from the end of the interval that it would have to cross."""
        ends = [end for end in (self.low, self.high) if math.isfinite(end)]
        return min(abs(value - end) for value in values for end in ends)


@dataclass(frozen=True)
class Claim:
    """Something that is said about positions, and what there is to measure about it.

    Args:
        number: in the list of claims, from 1.
        text: the claim, in the course's words.
        source: what kind of text says it.
        reference: the primary source.
        why: what is behind the verdict.
        parts: what it says that can be measured.
        measurement: gives the numbers of the parts.
        seeds: what `measure` takes; one where chance plays no part, those recorded where it reads
            a record.
        read: the verdict by the primary source, where nothing is measured.
        record: name of the stored study that the measurement reads, where it trains nothing.
    """

    number: int
    text: str
    source: str
    reference: str
    why: str
    parts: tuple[Part, ...] = ()
    measurement: Measurement | None = None
    seeds: tuple[int, ...] = SEEDS
    read: str = OPEN
    record: str = ""

    def measure(self, seeds: Iterable[int] | None = None, full: bool = False) -> pd.DataFrame:
        """A row a seed: `seed`, and a column for each number.

        Raises:
            ValueError: the claim is one that only reading settles.
        """
        if self.measurement is None:
            raise ValueError(f"claim {self.number} is not measured; see {self.reference}")
        rows = []
        for seed in self.seeds if seeds is None else seeds:
            found = self.measurement(seed, full)
            rows.append({"seed": seed} | {name: float(value) for name, value in found.items()})
        return pd.DataFrame(rows)

    def verdict(self, table: pd.DataFrame | None = None) -> str:
        """The verdict that follows from what `measure` gave; by reading where it gave nothing."""
        if self.measurement is None or table is None:
            return self.read
        return overall(part.verdict(table[part.number].tolist()) for part in self.parts)

    def findings(self, table: pd.DataFrame) -> pd.DataFrame:
        """A row for each part: what is said, mean, spread, unit, verdict and margin."""
        rows = []
        for part in self.parts:
            values = table[part.number].tolist()
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            rows.append(
                {
                    "the claim says that": part.says,
                    "mean": statistics.fmean(values),
                    "std": spread,
                    "unit": part.unit,
                    "verdict": part.verdict(values),
                    "margin": part.margin(values),
                }
            )
        return pd.DataFrame(rows)
