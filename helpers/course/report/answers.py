"""The table of all answers of a class, from which a report is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    GradeCell,
    SubmittedAssignment,
    SubmittedNotebook,
)

from helpers.course.authoring import source
from helpers.course.authoring.nbgrade import COURSE, gradebook
from helpers.course.grading import journal
from helpers.course.settings import Course

SCORES: dict[str, Any] = {  # names and types of columns
    "student": object, "unit": object, "exercise": object, "score": float, "max_score": float,
    "waiting": bool,
}  # fmt: skip


def answers(course: Course, out: Path, graded: pd.DataFrame) -> pd.DataFrame:
    """Return a row per exercise of each submission in `graded`, in the order of the sources.

    Columns are student, unit, exercise, title, score and max_score, with points given by hand;
    waiting, true where a person still has to give them; hints, a list, nan where there is no check.
    It may be empty, so each column needs its dtype.
    """
    scores = pd.DataFrame(_scores(out) if len(graded) else [], columns=[*SCORES]).astype(SCORES)
    scores["exercise"] = scores.exercise.str.removesuffix("-test")
    table = scores.merge(graded[["student", "unit"]]).merge(_checks(out), how="left")
    table = table.merge(_titles(course, sorted(set(graded.unit))), how="left")
    table["title"] = table.title.fillna(table.exercise)
    return table.sort_values(["unit", "place", "student"])


def _scores(out: Path) -> list[Any]:
    """Read every graded cell from the gradebook, in the order of `SCORES`."""
    columns = (
        *(SubmittedAssignment.student_id, Assignment.name, GradeCell.name),
        *(Grade.score, GradeCell.max_score, Grade.needs_manual_grade),
    )
    with Gradebook(gradebook(out), COURSE) as book:
        cells = book.db.query(*columns).select_from(Grade).join(Grade.cell.of_type(GradeCell))
        of_whom = cells.join(Grade.notebook).join(SubmittedNotebook.assignment)
        return [tuple(each) for each in of_whom.join(SubmittedAssignment.assignment)]


def _checks(out: Path) -> pd.DataFrame:
    """Read the hints of each check from the journal."""
    rows = [
        (e["row"]["student"], e["row"]["unit"], name, hints)
        for e in journal.entries(out)
        for name, hints in e["hints"].items()
    ]
    return pd.DataFrame(rows, columns=["student", "unit", "exercise", "hints"])


def _titles(course: Course, units: list[str]) -> pd.DataFrame:
    """Read the title and the place of each exercise from the sources."""
    rows = [
        (unit, cell.name, cell.keys["title"], place)
        for unit in units
        if course.text(unit).exists()
        for place, cell in enumerate(source.read(course.text(unit)))
        if cell.kind == "exercise"
    ]
    return pd.DataFrame(rows, columns=["unit", "exercise", "title", "place"])
