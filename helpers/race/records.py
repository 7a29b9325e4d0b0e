"""Rows of the board: how runs are recorded, and whether rows from elsewhere have their form."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from helpers.race.rules import RATES, VERSION, Budget
from helpers.race.runs import MEASURED, NO_NUMBER, REFUSED

KEY = ["task", "kind", "times", "seed"]
COLUMNS = {
    *(*KEY, "encoding", "lr", "loss", "limit", "outcome", "refused", "rules"),
    *("seconds", "sweep_seconds"),
}
OUTCOMES = (MEASURED, REFUSED, NO_NUMBER)


class RecordError(ValueError):
    """What is wrong with a record."""


def as_rows(name: str, swept: pd.DataFrame, scored: pd.DataFrame) -> pd.DataFrame:
    """Return the scored runs of one encoding as they are recorded, None where there is no loss.

    `sweep_seconds` is the processor time of all runs of the sweep on the task.
    """
    each = swept.drop_duplicates(["task", "lr"]).groupby("task")["seconds"].sum()
    rows = scored.drop(columns=["draw", "length"]).assign(
        sweep_seconds=scored["task"].map(each).round(1), seconds=scored["seconds"].round(1)
    )
    return rows.astype(object).where(rows.notna(), None).assign(encoding=name, rules=VERSION)


def check_rows(rows: Sequence[Any], name: str, budget: Budget) -> pd.DataFrame:
    """Return rows that come from elsewhere, each of which is in order.

    Args:
        rows: as JSON has them.
        name: that they must give the encoding.

    Raises:
        RecordError: something is wrong; the text says what.
    """
    for each in rows:
        if not isinstance(each, dict) or {*each} != COLUMNS:
            raise RecordError(f"each row must have {', '.join(sorted(COLUMNS))}, and nothing else")
        if any(isinstance(value, list | dict) for value in each.values()):
            raise RecordError("a row has texts, numbers and null, no lists and objects")
    found = pd.DataFrame(list(rows), columns=sorted(COLUMNS))
    measured = found["outcome"] == MEASURED
    numbers = found[["loss", "limit", "lr", "seconds", "sweep_seconds"]].map(_is_number)
    faults = {
        f"encoding must be {name}": found["encoding"] != name,
        f"rules must be {VERSION}": found["rules"] != VERSION,
        f"task must be one of {', '.join(budget.tasks)}": ~found["task"].isin(budget.tasks),
        f"lr must be one of {', '.join(map(str, RATES))}": ~found["lr"].isin(RATES),
        f"outcome must be one of {', '.join(OUTCOMES)}": ~found["outcome"].isin(OUTCOMES),
        "loss must be a number where it was measured, else null": numbers["loss"] != measured,
        "limit, seconds and sweep_seconds must be numbers": ~numbers.drop(columns="loss").all(
            axis=1
        ),
    }
    for fault, where in faults.items():
        if where.any():
            raise RecordError(f"{fault}; row {where.idxmax()} is not so")
    return found.astype({"loss": float, "limit": float})


def check_tests(rows: pd.DataFrame, none: pd.DataFrame) -> None:
    """Check that rows are of the same tests as those of no positions.

    Raises:
        RecordError: a test is missing, is there twice, or has another limit.
    """
    mine, other = (Counter(each[KEY].itertuples(index=False, name=None)) for each in (rows, none))
    if mine != other:
        raise RecordError("tasks, kinds, times and seeds are not those of the race, each once")
    limits = rows.set_index(KEY)["limit"] - none.set_index(KEY)["limit"]
    if (limits.abs() > 1e-6).any():
        raise RecordError("limits are not those of the tests: is it of another version?")


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max  # JSON's integers have no end
