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

TYPES: dict[str, Any] = {
    "student": object, "unit": object, "cell": object, "score": float, "max_score": float,
    "waiting": bool,
}  # fmt: skip


def answers(course: Course, out: Path, graded: pd.DataFrame) -> pd.DataFrame:
    """Return a row per exercise of each submission in `graded`, in the order of the sources.

    Columns are student, unit, exercise, title, score and max_score, with points given by hand;
    waiting, true where a person still has to give them; hints, a list, or None where the exercise
    has no check; and seconds, of the check.
    """
    table = pd.DataFrame(_scores(out) if len(graded) else [], columns=[*TYPES]).astype(TYPES)
    table = table.merge(graded[["student", "unit"]])
    table["exercise"] = table.cell.str.removesuffix("-test")
    titles = _titles(course, sorted(set(graded.unit)))
    keys = list(zip(table.unit, table.exercise, strict=True))
    table["title"] = [titles.get(key, key[1]) for key in keys]
    entries = {(e["row"]["student"], e["row"]["unit"]): e for e in journal.entries(out)}
    known = [entries.get(key, {}) for key in zip(table.student, table.unit, strict=True)]
    rows = list(zip(known, table.exercise, table.cell, strict=True))
    table["hints"] = [entry.get("hints", {}).get(name) for entry, name, _ in rows]
    table["seconds"] = [entry.get("seconds", {}).get(cell) for entry, _, cell in rows]
    place = {key: n for n, key in enumerate(titles)}
    table["place"] = [place.get(key, -1) for key in keys]
    return table.astype({"seconds": float}).sort_values(["unit", "place", "student"])


def _scores(out: Path) -> list[Any]:
    """Read every graded cell from the gradebook, in the order of `TYPES`."""
    columns = (
        *(SubmittedAssignment.student_id, Assignment.name, GradeCell.name),
        *(Grade.score, GradeCell.max_score, Grade.needs_manual_grade),
    )
    with Gradebook(gradebook(out), COURSE) as book:
        cells = book.db.query(*columns).select_from(Grade).join(Grade.cell.of_type(GradeCell))
        of_whom = cells.join(Grade.notebook).join(SubmittedNotebook.assignment)
        return [tuple(each) for each in of_whom.join(SubmittedAssignment.assignment)]


def _titles(course: Course, units: list[str]) -> dict[tuple[str, str], str]:
    """Return the title of each exercise by unit and name, in the order of the sources."""
    return {
        (unit, cell.name): cell.keys["title"]
        for unit in units
        if course.text(unit).exists()
        for cell in source.read(course.text(unit))
        if cell.kind == "exercise"
    }
