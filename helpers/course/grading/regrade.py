"""Some notebooks graded again, after a check was mended, and what that changed."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from helpers.course.intake import Submission
from helpers.course.pages.feedback import Grade, Mark
from helpers.course.settings import CourseError, printable

NAME = "changes.csv"


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


@dataclass(frozen=True)
class Change:
    """A line of changes.csv."""

    when: str
    student: str
    unit: str
    exercise: str
    points_before: str
    points_after: str
    hint_before: str
    hint_after: str

    def __str__(self) -> str:
        text = f"{printable(self.student)}, {self.unit}, {self.exercise}: "
        text += f"{self.points_before} → {self.points_after} points"
        if self.hint_before != self.hint_after:
            text += f"\n  hint before: {printable(self.hint_before) or 'none'}"
            text += f"\n  hint after: {printable(self.hint_after) or 'none'}"
        return text


Hints = Mapping[str, list[str]]  # by exercise


def between(before: Mark, after: Mark, hints: Hints, hints_after: Hints) -> Iterator[Change]:
    """Yield what is another in the exercises of a notebook that is graded again."""
    when = datetime.now(UTC).isoformat()
    for name, grade in before.grades.items():
        exercise = name.removesuffix("-test")
        points = [_points(each) for each in (grade, after.grades.get(name, Grade()))]
        both = [" ".join(dict.fromkeys(each.get(exercise, []))) for each in (hints, hints_after)]
        if grade.max_score and (points[0] != points[1] or both[0] != both[1]):
            yield Change(when, after.student, after.unit, exercise, *points, *both)


def _points(grade: Grade) -> str:
    """Return a number, "pending", or both: given by hand before the answer was changed."""
    known = grade.by_hand or grade.score or not grade.needs_manual
    return ", ".join([f"{grade.score:g}"] * bool(known) + ["pending"] * grade.needs_manual)


def add(out: Path, changes: Sequence[Change]) -> None:
    """Append changes to OUT/changes.csv."""
    fresh = not (out / NAME).exists()
    if changes:
        with (out / NAME).open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerows([[each.name for each in fields(Change)]] * fresh)
            writer.writerows(map(astuple, changes))


def since(out: Path, moment: datetime) -> Iterator[Change]:
    """Yield the lines of changes.csv that were written after a moment."""
    if (out / NAME).exists():
        with (out / NAME).open(newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                if datetime.fromisoformat(line["when"]) >= moment:
                    yield Change(**line)
