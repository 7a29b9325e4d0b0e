"""One page for the instructor: how the class did, what it misunderstood, what needs a person."""

from __future__ import annotations

import platform
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
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
from helpers.course.authoring.nbgrade import gradebook
from helpers.course.grading import journal, lateness, marking, regrade
from helpers.course.pages import figures, items, predictions, similar
from helpers.course.pages.page import number, page
from helpers.course.settings import Course

BINS = 10  # of the distribution of marks
SLOWEST = 10  # rows of each table of seconds
CELL = re.compile(r"^[\w-]+: ")  # the name that a repair begins with
HINT = ["unit", "exercise", "hint"]


class Figure(NamedTuple):
    """A picture as a data address, the text that stands for it, and its numbers."""

    title: str
    image: str
    alt: str
    numbers: list[tuple[str, int]]


def write(course: Course, out: Path) -> Path:
    """Write OUT/report.html from what `course grade` has left in OUT; marks by hand count.

    Raises:
        CourseError: nothing has been graded into OUT.
    """
    rows = _rows(out)
    graded = rows[rows.status.str.startswith("graded")]
    grades = _grades(out, graded)
    titles = _titles(course, sorted(set(graded.unit)))
    grades["title"] = [
        titles.get(key, key[1]) for key in zip(grades.unit, grades.name, strict=True)
    ]
    marks = _marks(grades)
    hinted, checked = _hinted(out, graded)
    exercises = items.exercises(grades, hinted, list(titles))
    exercises.loc[
        [k not in checked for k in zip(exercises.unit, exercises.name, strict=True)], "unaided"
    ] = np.nan
    target = out / "report.html"
    fresh = out / "report.html.new"
    text = page(
        "report.html.j2",
        sortable=True,
        written=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        versions=_versions(),
        limits=_limits(rows),
        learners=list(_learners(rows, marks)),
        rows=rows,
        graded=graded,
        units=list(_units(rows, marks)),
        distributions=[_distribution(*each) for each in marks.groupby("unit")],
        exercises=list(exercises.itertuples()),
        fractions=[_fractions(*each) for each in exercises.groupby("unit")],
        misconceptions=list(_misconceptions(hinted, graded, titles).itertuples()),
        predictions=predictions.predictions(course, out, graded),
        waiting=list(_waiting(grades).itertuples()),
        pairs=similar.write(out, graded),
        late=list(rows[~rows.late.isin(["", "no"])].itertuples()),
        costs=lateness.policy(out),
        flagged=_said(rows, "flags"),
        repaired=_said(rows, "repairs"),
        left_out=list(rows.drop(graded.index).itertuples()),
        notebooks=list(graded.nlargest(SLOWEST, "seconds").itertuples()),
        tests=list(_tests(out, titles).itertuples()),
        link=_link,
    )
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(target)
    return target


def _rows(out: Path) -> pd.DataFrame:
    return regrade.rows_of(out).astype({"score": float, "max_score": float, "seconds": float})


def _grades(out: Path, graded: pd.DataFrame) -> pd.DataFrame:
    """Every graded cell of the rows in `graded`, as the gradebook has it now."""
    cells = _cells(out) if len(graded) else []  # without any there may be no gradebook
    grades = pd.DataFrame(
        cells, columns=["student", "unit", "name", "score", "most", "waiting"]
    ).astype({"score": float, "most": float, "waiting": bool})
    grades["name"] = grades["name"].astype(str).str.removesuffix("-test")
    return grades.merge(graded[["student", "unit"]].astype(object))


def _cells(out: Path) -> list[tuple[Any, ...]]:
    with Gradebook(gradebook(out), "order-matters") as book:
        found = (
            book.db.query(
                SubmittedAssignment.student_id,
                Assignment.name,
                GradeCell.name,
                Grade.score,
                GradeCell.max_score,
                Grade.needs_manual_grade,
            )
            .select_from(Grade)
            .join(GradeCell, Grade.cell_id == GradeCell.id)
            .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
            .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        )
        return [tuple(each) for each in found]


def _titles(course: Course, units: list[str]) -> dict[tuple[str, str], str]:
    """Title of each exercise by unit and name, in the order of the sources."""
    return {
        (unit, cell.name): cell.keys["title"]
        for unit in units
        if course.text(unit).exists()
        for cell in source.read(course.text(unit))
        if cell.kind == "exercise"
    }


def _titled(units: pd.Series, names: pd.Series, titles: dict[tuple[str, str], str]) -> list[str]:
    """The titles of exercises; their names where no source tells a title."""
    return [titles.get(key, key[1]) for key in zip(units, names, strict=True)]


def _marks(grades: pd.DataFrame) -> pd.DataFrame:
    """Points by unit and learner: `score` of the `most` that are decided; `pending` wait."""
    waits = grades.waiting
    split = grades.assign(
        score=grades.score.mask(waits, 0),
        most=grades.most.mask(waits, 0),
        pending=grades.most.where(waits, 0),
    )
    marks = split.groupby(["unit", "student"], as_index=False)[["score", "most", "pending"]].sum()
    marks["fraction"] = marks.score / marks.most.where(marks.most > 0)
    return marks


def _units(rows: pd.DataFrame, marks: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for unit, handed_in in rows.groupby("unit"):
        of_unit = marks[marks.unit == unit]
        decided = of_unit.fraction.dropna()
        yield {
            "name": unit or "(no unit)",
            "handed_in": len(handed_in),
            "graded": len(of_unit),
            "most": (of_unit.most + of_unit.pending).max() if len(of_unit) else 0,
            "pending": of_unit.pending.sum(),
            "marks": decided.describe().to_dict() if len(decided) else {},
        }


def _learners(rows: pd.DataFrame, marks: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """A row per learner: what they have in each unit, in all, and what waits."""
    of = {(m.student, m.unit): m for m in marks.itertuples()}
    for student, handed_in in rows.groupby("student"):
        found = {row.unit: (row, of.get((student, row.unit))) for row in handed_in.itertuples()}
        known = [mark for _, mark in found.values() if mark]
        yield {
            "name": student,
            "units": found,
            "score": sum(mark.score for mark in known),
            "pending": sum(mark.pending for mark in known),
        }


def _versions() -> dict[str, str]:
    """Of what decides about marks."""
    return {
        "course": version("order-matters"),
        "Python": platform.python_version(),
        "torch": version("torch"),
        "nbgrader": version("nbgrader"),
    }


def _limits(rows: pd.DataFrame) -> str:
    """Who held the limits of memory and processes as notebooks ran."""
    told = {"cgroup": "by cgroup", "looks": "by a look every quarter of a second"}
    held = rows.limits.value_counts() if "limits" in rows else {}
    found = [f"{text} for {held[name]}" for name, text in told.items() if name in held]
    return ", ".join(found) or "not known"


def _distribution(unit: str, marks: pd.DataFrame) -> Figure:
    fractions = marks.fraction.dropna().clip(0, 1)
    counts, edges = np.histogram(100 * fractions, bins=BINS, range=(0, 100))
    names = [f"{number(low)} to {number(high)} %" for low, high in pairwise(edges)]
    middle = f"The middle learner has {100 * fractions.median():.0f} %. " if len(fractions) else ""
    alt = (
        f"Histogram of marks in {unit}: learners by tenths of the points that do not wait. "
        f"{middle}The numbers are below."
    )
    image = figures.histogram(counts, edges, "percent of the points")
    return Figure(unit, image, alt, list(zip(names, map(int, counts), strict=True)))


def _fractions(unit: str, rows: pd.DataFrame) -> Figure:
    names = [textwrap.fill(title, 20) for title in rows.title]
    told = "; ".join(f"{r.title} {100 * r.fraction:.0f} %" for r in rows.itertuples())
    alt = f"Bars: mean points of each exercise of {unit} as a fraction of the most. {told}."
    return Figure(unit, figures.bars(names, rows.fraction), alt, [])


def _hinted(out: Path, graded: pd.DataFrame) -> tuple[pd.DataFrame, set[tuple[str, str]]]:
    """Each hint with its exercise and learner, and the exercises whose checks can give one."""
    told = [
        (row.unit, exercise, row.student, [each.hint for each in found if each.hint])
        for row in graded.itertuples()
        for exercise, found in marking.findings(
            out / "autograded" / row.student / row.unit / f"{row.unit}.ipynb"
        ).items()
    ]
    given = [(unit, name, hint, who) for unit, name, who, hints in told for hint in hints]
    hinted = pd.DataFrame(given, columns=[*HINT, "student"]).drop_duplicates()
    return hinted, {(unit, name) for unit, name, _, _ in told}


def _misconceptions(
    given: pd.DataFrame, graded: pd.DataFrame, titles: dict[tuple[str, str], str]
) -> pd.DataFrame:
    """Each hint, the exercise it was given in and who was given it, the commonest first."""
    rows = given.groupby(HINT, as_index=False).agg(
        learners=("student", "nunique"), students=("student", list)
    )
    rows["of"] = rows.unit.map(graded.unit.value_counts())
    rows["title"] = _titled(rows.unit, rows.exercise, titles)
    return rows.sort_values(["learners", "unit", "exercise"], ascending=[False, True, True])


def _waiting(grades: pd.DataFrame) -> pd.DataFrame:
    waiting = grades[grades.waiting]
    return waiting.groupby(["unit", "title"], as_index=False).agg(
        learners=("student", "nunique"), students=("student", list)
    )


def _said(rows: pd.DataFrame, column: str) -> list[tuple[Any, list[str]]]:
    """The rows with flags or repairs, and these; what is said of several cells stands once."""
    found = []
    for row in rows[rows[column] != ""].itertuples():
        said = Counter(CELL.sub("", each) for each in getattr(row, column).split("; "))
        texts = [f"{text} ({count} times)" if count > 1 else text for text, count in said.items()]
        found.append((row, texts))
    return found


def _tests(out: Path, titles: dict[tuple[str, str], str]) -> pd.DataFrame:
    """Seconds of each test, the slowest first; the last run of each notebook counts."""
    last = {
        (entry["row"]["unit"], entry["row"]["student"]): entry["seconds"]
        for entry in journal.entries(out)
        if "unit" in entry["row"]
    }
    rows = pd.DataFrame(
        [
            (unit, name.removesuffix("-test"), taken)
            for (unit, _), seconds in last.items()
            for name, taken in seconds.items()
        ],
        columns=["unit", "name", "seconds"],
    ).astype({"seconds": float})
    rows["title"] = _titled(rows.unit, rows.name, titles)
    tests = rows.groupby(["unit", "title"], as_index=False).agg(
        median=("seconds", "median"), most=("seconds", "max")
    )
    return tests.nlargest(SLOWEST, "median")


def _link(row: Any) -> str:
    """Where the feedback page of a row is, seen from the report; empty where it has none."""
    if not row.status.startswith("graded") or "without a feedback page" in row.status:
        return ""
    return quote(f"feedback/{row.student}/{row.unit}/{row.unit}.html")
