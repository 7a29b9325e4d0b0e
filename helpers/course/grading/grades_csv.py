"""grades.csv, a row per submission."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from helpers.course import settings
from helpers.course.grading.autograde import Result
from helpers.course.intake import Submission
from helpers.course.pages.feedback import Mark
from helpers.course.settings import CourseError, printable

NAME = "grades.csv"
EMPTY: dict[str, Any] = {  # a row of grades.csv
    "student": "", "unit": "", "score": 0.0, "pending": 0.0, "max_score": 0.0, "late": "",
    "penalty": 0.0, "status": "", "flags": "", "repairs": "", "hints": [], "seconds": 0.0,
    "platform_id": "", "return_as": "",
}  # fmt: skip
COLUMNS = list(EMPTY)
KEYS = ["student", "unit"]  # of a row


def row(found: Submission, result: Result) -> dict[str, Any]:
    """Return the row of grades.csv of a submission, but for its marks."""
    hints = [hint for each in result.hints.values() for hint in each]
    return {
        "student": found.student,
        "unit": found.unit,
        "seconds": round(result.seconds, 1),
        "flags": "; ".join(result.flags),
        "repairs": "; ".join(result.repairs),
        "hints": list(dict.fromkeys(hints)),
    }


def marks(mark: Mark) -> dict[str, Any]:
    """Return what a row of grades.csv says of a mark."""
    grades = mark.grades.values()
    waiting = [each.max_score for each in grades if each.needs_manual]
    return {
        "score": sum(each.score for each in grades),
        "pending": float(sum(waiting)),
        "max_score": sum(each.max_score for each in grades),
        "penalty": mark.penalty,
        "status": "graded, the rest by hand" if waiting else "graded",
    }


def write(out: Path, rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Write rows to OUT/grades.csv and return them, sorted.

    Rows of an earlier run stay in the file, but for those of the same learner and unit, and a
    learner's whose notebook was none of a unit.
    """
    table = pd.DataFrame(rows, columns=COLUMNS).sort_values(KEYS)
    before = read(out, needed=False)
    again = before.set_index(KEYS).index.isin(table.set_index(KEYS).index)
    again |= (before.unit == "") & before.student.isin(table.student)
    both = [table.astype(object), before[~again].astype(object)]
    settings.write(out / NAME, pd.concat(both).sort_values(KEYS).to_csv(index=False))
    return table.reset_index(drop=True)


def read(out: Path, needed: bool = True) -> pd.DataFrame:
    """Return grades.csv, its words as they are: a learner may be called NA.

    Args:
        needed: False returns no rows where there is none.

    Raises:
        CourseError: there is none, or it is not as `write` writes it.
    """
    path = out / NAME
    if not path.exists():
        if needed:
            raise CourseError(f"{out} holds no grades.csv; `course grade` writes it")
        return pd.DataFrame(columns=COLUMNS)
    try:
        found = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
        if not {*KEYS} <= {*found}:
            raise ValueError(f"its columns are {', '.join(found)}")
    except ValueError as error:
        raise CourseError(
            f"{path} cannot be read ({error}): if a spreadsheet has saved it, save it as CSV in "
            "UTF-8 with commas; or delete it and grade everyone: what is graded is kept"
        ) from error
    # What an earlier version had no column for is as in an empty row.
    return found.assign(**{n: str(v) for n, v in EMPTY.items() if n not in found})[COLUMNS]


def as_text(table: pd.DataFrame) -> str:
    """Marks as a table, then the hints that each learner was given."""
    words = table[["student", "unit", "late", "status"]].map(printable)
    marks = table.loc[:, :"status"].assign(**words)
    if not table.late.any() and not table.penalty.any():
        marks = marks.drop(columns=["late", "penalty"])
    hints = [
        f"\n{printable(student)}, {unit}:\n" + "\n".join(f"  - {printable(hint)}" for hint in hints)
        for student, unit, hints in table[["student", "unit", "hints"]].itertuples(index=False)
        if hints
    ]
    return marks.to_string(index=False) + ("\n\nHints given\n" + "".join(hints) if hints else "")


def changed(before: pd.DataFrame, after: pd.DataFrame) -> list[str]:
    """Return in words whose points are others than `before`, which `read` has returned."""

    def points(score: Any, pending: Any) -> str:
        return f"{float(score):g}" + f", {float(pending):g} pending" * bool(float(pending))

    both = after.merge(before, on=KEYS, suffixes=("", "_before"))
    pairs = [
        (row, points(row.score_before, row.pending_before), points(row.score, row.pending))
        for row in both.itertuples()
    ]
    return [f"{printable(r.student)}, {r.unit}: {a} → {b} points" for r, a, b in pairs if a != b]
