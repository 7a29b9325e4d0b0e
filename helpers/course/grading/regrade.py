"""Some notebooks graded again, after a check was mended, and what that changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from helpers.course.intake import Submission
from helpers.course.pages.feedback import Grade, Mark
from helpers.course.settings import CourseError, printable

NAME = "changes.csv"
CHANGES = [
    "when", "student", "unit", "exercise", "points_before", "points_after", "hint_before",
    "hint_after",
]  # fmt: skip


def chosen(found: list[Submission], learners: Collection[str], unit: str) -> list[Submission]:
    """Return the submissions of these learners, or of all, in a unit, or in all.

    Args:
        learners: as grades.csv names them.

    Raises:
        CourseError: somebody named has handed in nothing of it.
    """
    fit = [
        each
        for each in found
        if (not learners or each.student in learners) and unit in ("", each.unit)
    ]
    missing = sorted(set(learners) - {each.student for each in fit})
    if missing or not fit:
        of_whom = f" of {', '.join(missing)}" * bool(missing)
        raise CourseError(
            f"nothing{of_whom} to grade again{f' in {unit}' * bool(unit)}: "
            "name learners as the column student of grades.csv does"
        )
    return fit


Hints = Mapping[str, list[str]]  # by exercise


def between(before: Mark | None, after: Mark, hints: Hints, hints_after: Hints) -> pd.DataFrame:
    """Return what is another in the exercises of a notebook that is graded again."""
    rows = []
    for name, grade in before.grades.items() if before else ():
        exercise = name.removesuffix("-test")
        points = [_points(each) for each in (grade, after.grades.get(name, Grade()))]
        both = [" ".join(dict.fromkeys(each.get(exercise, []))) for each in (hints, hints_after)]
        if grade.max_score and (points[0] != points[1] or both[0] != both[1]):
            rows.append([datetime.now(UTC), after.student, after.unit, exercise, *points, *both])
    return pd.DataFrame(rows, columns=CHANGES)


def _points(grade: Grade) -> str:
    """Return a number, "pending", or both: given by hand before the answer was changed."""
    known = grade.by_hand or grade.score or not grade.needs_manual
    return ", ".join([f"{grade.score:g}"] * bool(known) + ["pending"] * grade.needs_manual)


def add(out: Path, changes: pd.DataFrame) -> None:
    """Append changes to OUT/changes.csv."""
    path = out / NAME
    if len(changes):
        changes.to_csv(path, mode="a", header=not path.exists(), index=False)


def since(out: Path, moment: datetime) -> list[str]:
    """Return the lines of changes.csv that were written after a moment, in words."""
    if not (out / NAME).exists():
        return []
    rows = pd.read_csv(out / NAME, dtype=str, keep_default_na=False)
    # A spreadsheet that saved the file may have written the times of earlier runs otherwise.
    when = pd.to_datetime(rows.when, format="ISO8601", utc=True, errors="coerce")
    rows = rows[when >= moment].map(printable)
    return [_in_words(row) for row in rows.itertuples()]


def _in_words(row: Any) -> str:
    text = f"{row.student}, {row.unit}, {row.exercise}: "
    text += f"{row.points_before} → {row.points_after} points"
    if row.hint_before != row.hint_after:
        text += f"\n  hint before: {row.hint_before or 'none'}"
        text += f"\n  hint after: {row.hint_after or 'none'}"
    return text
