"""Some notebooks graded again, after a check was mended, and what that changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Choice:
    """What is graded again whatever has been graded before; nothing stands for all of it.

    Args:
        learners: as grades.csv names them.
    """

    learners: tuple[str, ...] = ()
    unit: str = ""

    def __bool__(self) -> bool:
        return bool(self.learners or self.unit)

    def takes(self, student: str, unit: str) -> bool:
        """Return whether a row is among what is chosen."""
        return (not self.learners or student in self.learners) and self.unit in ("", unit)

    def of(self, found: list[Submission]) -> list[Submission]:
        """Return the submissions that are chosen.

        Raises:
            CourseError: somebody named has handed in nothing of it.
        """
        chosen = [each for each in found if self.takes(each.student, each.unit)]
        missing = sorted(set(self.learners) - {each.student for each in chosen})
        if missing or not chosen:
            of_whom = f" of {', '.join(missing)}" * bool(missing)
            raise CourseError(
                f"nothing{of_whom} to grade again{f' in {self.unit}' * bool(self.unit)}: "
                "name learners as the column student of grades.csv does"
            )
        return chosen

    def others(self, out: Path) -> pd.DataFrame:
        """Return the rows of grades.csv that are not chosen, as they are.

        Raises:
            CourseError: there is no such table.
        """
        rows = rows_of(out)
        taken = [self.takes(*key) for key in zip(rows.student, rows.unit, strict=True)]
        return rows[[not each for each in taken]]


def rows_of(out: Path) -> pd.DataFrame:
    """Return grades.csv, its words as they are: a learner may be called NA.

    Raises:
        CourseError: there is none, or it is of an earlier version of the course.
    """
    try:
        rows = pd.read_csv(out / "grades.csv", dtype=str, keep_default_na=False)
    except (FileNotFoundError, pd.errors.EmptyDataError) as error:
        raise CourseError(f"{out} holds no grades.csv; `course grade` writes it") from error
    if "return_as" not in rows:
        raise CourseError(f"{out} was graded by an earlier version; run `course grade` again")
    return rows


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
    rows = rows[pd.to_datetime(rows.when, format="ISO8601") >= moment].map(printable)
    return [_in_words(row) for row in rows.itertuples()]


def _in_words(row: Any) -> str:
    text = f"{row.student}, {row.unit}, {row.exercise}: "
    text += f"{row.points_before} → {row.points_after} points"
    if row.hint_before != row.hint_after:
        text += f"\n  hint before: {row.hint_before or 'none'}"
        text += f"\n  hint after: {row.hint_after or 'none'}"
    return text
