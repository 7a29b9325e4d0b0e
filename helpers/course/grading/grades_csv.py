"""grades.csv: a row per submission, and what a terminal shows of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from helpers.course.grading.autograde import Result
from helpers.course.intake import Submission
from helpers.course.pages.feedback import Mark
from helpers.course.settings import CourseError, printable

EMPTY: dict[str, Any] = {  # a row of grades.csv
    "student": "", "unit": "", "score": 0.0, "pending": 0.0, "max_score": 0.0, "late": "",
    "penalty": 0.0, "status": "", "flags": "", "repairs": "", "hints": [], "seconds": 0.0,
    "platform_id": "", "email": "", "return_as": "",
}  # fmt: skip
COLUMNS = list(EMPTY)
WITHOUT_PAGE = "graded, without a feedback page: "
EARLIER = "was graded by an earlier version; run `course grade` on all submissions"


def row(found: Submission, result: Result, mark: Mark) -> dict[str, Any]:
    """Return the row of grades.csv of a submission."""
    hints = [hint for each in result.hints.values() for hint in each]
    made = marks(mark) | {
        "student": found.student,
        "unit": found.unit,
        "seconds": round(result.seconds, 1),
        "flags": "; ".join(result.flags),
        "repairs": "; ".join([*found.notes, *result.repairs]),
        "hints": list(dict.fromkeys(hints)),
    }
    if result.problem:
        made["status"] = WITHOUT_PAGE + result.problem
    return made


def marks(mark: Mark) -> dict[str, Any]:
    """Return what a row of grades.csv says of a mark."""
    grades = mark.grades.values()
    waiting = [each.max_score for each in grades if each.needs_manual]
    return {
        "score": sum(each.score for each in grades),
        "pending": sum(waiting),
        "max_score": sum(each.max_score for each in grades),
        "penalty": mark.penalty,
        "status": "graded, the rest by hand" if waiting else "graded",
    }


def write(out: Path, rows: list[dict[str, Any]], before: pd.DataFrame | None) -> pd.DataFrame:
    """Write rows to OUT/grades.csv and return them, sorted.

    Args:
        before: rows of an earlier run, of which those of other submissions stay in the file.
    """
    keys = ["student", "unit"]
    table = pd.DataFrame(rows, columns=COLUMNS).sort_values(keys)
    whole = table
    if before is not None:
        others = before[~before.set_index(keys).index.isin(table.set_index(keys).index)]
        whole = pd.concat([table.astype(object), others]).sort_values(keys)
    fresh = out / "grades.csv.new"
    whole.to_csv(fresh, index=False)
    fresh.replace(out / "grades.csv")
    return table.reset_index(drop=True)


def read(out: Path) -> pd.DataFrame:
    """Return grades.csv, its words as they are: a learner may be called NA.

    Raises:
        CourseError: there is none, or it is of an earlier version of the course.
    """
    try:
        rows = pd.read_csv(out / "grades.csv", dtype=str, keep_default_na=False)
    except (FileNotFoundError, pd.errors.EmptyDataError) as error:
        raise CourseError(f"{out} holds no grades.csv; `course grade` writes it") from error
    if "return_as" not in rows:
        raise CourseError(f"{out} {EARLIER}")
    return rows


def as_text(table: pd.DataFrame) -> str:
    """Marks as a table, then the hints that each learner was given."""
    words = table[["student", "unit", "late", "status"]].map(printable)
    columns = ["student", "unit", "score", "pending", "max_score", "late", "penalty", "status"]
    marks = table[columns].assign(**words)
    if not table.late.any() and not table.penalty.any():
        marks = marks.drop(columns=["late", "penalty"])
    hints = [
        f"\n{printable(student)}, {unit}:\n" + "\n".join(f"  - {printable(hint)}" for hint in hints)
        for student, unit, hints in table[["student", "unit", "hints"]].itertuples(index=False)
        if hints
    ]
    return marks.to_string(index=False) + ("\n\nHints given\n" + "".join(hints) if hints else "")
