"""grades.csv, a row per submission; all of it is in the journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from helpers.course import settings
from helpers.course.grading import journal
from helpers.course.grading.execute import Result
from helpers.course.intake import Submission
from helpers.course.pages.feedback import Mark
from helpers.course.settings import printable

NAME = "grades.csv"
WIDEST = 80  # characters of a reason in a terminal; the file has all
Row = dict[str, Any]
EMPTY: Row = {  # a row of grades.csv
    "student": "", "unit": "", "score": 0.0, "pending": 0.0, "max_score": 0.0, "late": "",
    "penalty": 0.0, "status": "", "flags": "", "repairs": "", "hints": [], "seconds": 0.0,
    "platform_id": "", "return_as": "",
}  # fmt: skip
KEYS = ["student", "unit"]  # of a row


def row(found: Submission, **more: Any) -> Row:
    """Return the row of a submission."""
    names = (*KEYS, "platform_id", "return_as")
    return EMPTY | more | {name: getattr(found, name) for name in names}


def told(result: Result) -> Row:
    """Return what a row says of a result beside its marks."""
    hints = [hint for each in result.hints.values() for hint in each]
    return {
        "seconds": round(result.seconds, 1),
        "flags": "; ".join(result.flags),
        "repairs": "; ".join(result.notes),
        "hints": list(dict.fromkeys(hints)),
    }


def marks(mark: Mark) -> Row:
    """Return what a row says of a mark."""
    grades = mark.grades.values()
    waiting = [each.max_score for each in grades if each.needs_manual]
    return {
        "score": sum(each.score for each in grades),
        "pending": float(sum(waiting)),
        "max_score": sum(each.max_score for each in grades),
        "penalty": mark.penalty,
        "status": "graded, the rest by hand" if waiting else "graded",
    }


def table(rows: list[Row]) -> pd.DataFrame:
    """Return rows as a table, sorted; what an earlier version did not know is empty."""
    found = pd.DataFrame([EMPTY | each for each in rows], columns=[*EMPTY])
    return found.sort_values(KEYS, ignore_index=True)


def read(out: Path) -> pd.DataFrame:
    """Return the rows of all submissions that have been graded into OUT, or could not be."""
    return table([entry["row"] for entry in journal.entries(out)])


def write(out: Path) -> pd.DataFrame:
    """Write OUT/grades.csv; return its rows."""
    rows = read(out)
    settings.write(out / NAME, rows.to_csv(index=False))
    return rows


def as_text(table: pd.DataFrame) -> str:
    """Return marks as a table, then the hints that each learner was given."""
    words = table[["student", "unit", "late", "status"]].map(printable)
    marks = table.loc[:, :"status"].assign(**words)
    if not table.late.any() and not table.penalty.any():
        marks = marks.drop(columns=["late", "penalty"])
    hints = [
        f"\n{printable(student)}, {unit}:\n" + "\n".join(f"  - {printable(hint)}" for hint in hints)
        for student, unit, hints in table[["student", "unit", "hints"]].itertuples(index=False)
        if hints
    ]
    text = marks.to_string(index=False, max_colwidth=WIDEST)
    return text + ("\n\nHints given\n" + "".join(hints) if hints else "")


def changed(before: pd.DataFrame, after: pd.DataFrame) -> list[str]:
    """Return in words whose points are others than `before`."""

    def points(score: float, pending: float) -> str:
        return f"{score:g}" + f", {pending:g} pending" * bool(pending)

    both = after.merge(before, on=KEYS, suffixes=("", "_before"))
    return [
        f"{printable(row.student)}, {row.unit}: "
        f"{points(row.score_before, row.pending_before)} → {points(row.score, row.pending)} points"
        for row in both.itertuples()
        if (row.score, row.pending) != (row.score_before, row.pending_before)
    ]
