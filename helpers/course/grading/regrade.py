"""Some notebooks graded again, after a check was mended, and what that changed."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.utils import is_grade

from helpers.course.authoring.nbgrade import gradebook
from helpers.course.grading import marking
from helpers.course.intake import Submission
from helpers.course.settings import CourseError, printable

NAME = "changes.csv"


@dataclass(frozen=True)
class Choice:
    """What is graded again whatever has been graded before; nothing stands for all of it.

    Args:
        learners: as grades.csv names them. exercise: of the unit.
    """

    learners: tuple[str, ...] = ()
    unit: str = ""
    exercise: str = ""

    def __bool__(self) -> bool:
        return bool(self.learners or self.unit)

    def takes(self, student: str, unit: str) -> bool:
        """Whether a row is among what is chosen."""
        return (not self.learners or student in self.learners) and self.unit in ("", unit)

    def of(self, found: list[Submission]) -> list[Submission]:
        """The submissions that are chosen.

        Raises:
            CourseError: somebody named has handed in nothing of it, or the exercise has no unit.
        """
        if self.exercise and not self.unit:
            raise CourseError(f"--exercise {self.exercise} is of which unit? Name it with --unit")
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
        """The rows of grades.csv that are not chosen, as they are.

        Raises:
            CourseError: there is no such table.
        """
        rows = rows_of(out)
        taken = [self.takes(*key) for key in zip(rows.student, rows.unit, strict=True)]
        return rows[[not each for each in taken]]


def rows_of(out: Path) -> pd.DataFrame:
    """grades.csv, its words as they are: a learner may be called NA.

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
class Standing:
    """What a learner has in an exercise.

    Args:
        points: a number, "pending", or both: given by hand before the answer was changed.
    """

    points: str = ""
    hint: str = ""


def standing(out: Path, student: str, unit: str) -> dict[str, Standing]:
    """By exercise, what the gradebook has of a notebook; empty where it has not been graded."""
    graded = out / "autograded" / student / unit / f"{unit}.ipynb"
    with Gradebook(gradebook(out), "order-matters") as book:
        try:
            notebooks = book.find_submission(unit, student).notebooks
        except MissingEntry:
            return {}
        points = {
            each.name.removesuffix("-test"): _points(each)
            for notebook in notebooks
            for each in notebook.grades
        }
    if not graded.exists():
        return {}
    hints = {
        name: " ".join(dict.fromkeys(each.hint for each in found if each.hint))
        for name, found in marking.findings(graded).items()
    }
    return {name: Standing(each, hints.get(name, "")) for name, each in points.items()}


def _points(grade: Any) -> str:
    known = grade.auto_score is not None or grade.manual_score is not None
    told = [f"{grade.score:g}"] * known + ["pending"] * bool(grade.needs_manual_grade)
    return ", ".join(told)


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
        told = f"{printable(self.student)}, {self.unit}, {self.exercise}: "
        told += f"{self.points_before} → {self.points_after} points"
        if self.hint_before != self.hint_after:
            told += f"\n  hint before: {printable(self.hint_before) or 'none'}"
            told += f"\n  hint after: {printable(self.hint_after) or 'none'}"
        return told


def note(out: Path, student: str, unit: str, before: dict[str, Standing]) -> None:
    """Add to OUT/changes.csv what is another now in exercises that had been graded before."""
    after = standing(out, student, unit) if before else {}
    when = datetime.now(UTC).isoformat()
    changes = [
        Change(when, student, unit, name, old.points, new.points, old.hint, new.hint)
        for name, old in before.items()
        if old != (new := after.get(name, Standing()))
    ]
    fresh = not (out / NAME).exists()
    if changes:
        with (out / NAME).open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerows([[each.name for each in fields(Change)]] * fresh)
            writer.writerows(map(astuple, changes))


def since(out: Path, moment: datetime) -> Iterator[Change]:
    """The lines of changes.csv that were written after a moment."""
    if (out / NAME).exists():
        with (out / NAME).open(newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                if datetime.fromisoformat(line["when"]) >= moment:
                    yield Change(**line)


@dataclass(frozen=True)
class Shown:
    """What a notebook's checks showed when it was graded: outputs by cell, for these cells."""

    sources: list[str]
    outputs: dict[str, list[NotebookNode]]

    def fits(self, notebook: NotebookNode) -> bool:
        """Whether it is still the same notebook."""
        return self.sources == [each.source for each in notebook.cells]


def shown(out: Path, found: Submission, exercise: str) -> Shown | None:
    """What the checks but that of `exercise` showed; None where nothing has been graded yet."""
    place = Path(found.student) / found.unit / f"{found.unit}.ipynb"
    if not (out / "autograded" / place).exists() or not (out / "submitted" / place).exists():
        return None
    before = nbformat.read(out / "submitted" / place, as_version=4)
    graded = nbformat.read(out / "autograded" / place, as_version=4)
    outputs = {
        cell.metadata.nbgrader.grade_id: cell.outputs
        for cell in graded.cells
        if is_grade(cell) and cell.cell_type == "code"
        if cell.metadata.nbgrader.grade_id != f"{exercise}-test"
    }
    return Shown([each.source for each in before.cells], outputs)
