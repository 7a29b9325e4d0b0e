"""The table of all answers of a class, and what it says of each exercise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helpers.course.authoring import source
from helpers.course.grading import journal
from helpers.course.settings import Course

COLUMNS: dict[str, Any] = {  # with their types
    "student": object, "unit": object, "exercise": object, "score": float, "max_score": float,
    "waiting": bool, "hints": object,
}  # fmt: skip
FEWEST = 3  # learners of whom a correlation says anything
KEY = ["unit", "exercise", "title"]


def answers(course: Course, out: Path, graded: pd.DataFrame) -> pd.DataFrame:
    """Return a row per exercise of each submission in `graded`, in the order of the sources.

    Columns are student, unit, exercise, title, score and max_score, with points given by hand;
    waiting, true where a person still has to give them; hints, a list, nan where there is no check.
    It may be empty, so each column needs its dtype.
    """
    table = pd.DataFrame(_cells(out), columns=[*COLUMNS]).astype(COLUMNS)
    titles = _titles(course, sorted(set(graded.unit)))
    table = table.merge(graded[["student", "unit"]]).merge(titles, how="left")
    table["title"] = table.title.fillna(table.exercise)
    return table.sort_values(["unit", "place", "student"])


def _cells(out: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the marks of each graded cell, in the order of `COLUMNS`."""
    for entry in journal.graded(out):
        student, unit = entry["row"]["student"], entry["row"]["unit"]
        for name, cell in entry["mark"]["grades"].items():
            if cell["max_score"]:
                exercise = name.removesuffix("-test")
                points = cell["score"], cell["max_score"], cell["needs_manual"]
                yield student, unit, exercise, *points, entry["hints"].get(exercise)


def _titles(course: Course, units: list[str]) -> pd.DataFrame:
    rows = [
        (unit, cell.name, cell.keys["title"], place)
        for unit in units
        if course.text(unit).exists()
        for place, cell in enumerate(source.read(course.text(unit)))
        if cell.kind == "exercise"
    ]
    return pd.DataFrame(rows, columns=["unit", "exercise", "title", "place"])


def exercises(answers: pd.DataFrame) -> pd.DataFrame:
    """Return a row per exercise, in the order of `answers`; what waits for a person is left out.

    `unaided` is the fraction of answers without a hint, nan where the exercise has no check;
    `discrimination` the item-rest correlation, nan of fewer than three learners.
    """
    done = answers[~answers.waiting].copy()
    of_learner = done.groupby(["unit", "student"])
    score = of_learner.score.transform("sum") - done.score
    most = of_learner.max_score.transform("sum") - done.max_score
    done["rest"] = score / most.where(most > 0)  # of the points of the unit's other exercises
    done["full"], done["none"] = done.score >= done.max_score, done.score <= 0
    done["unaided"] = (done.hints.str.len() == 0).astype(float).where(done.hints.notna())
    groups = done.groupby(KEY, sort=False)
    rows = groups.agg(
        points=("max_score", "max"),
        learners=("student", "nunique"),
        mean=("score", "mean"),
        full=("full", "mean"),
        none=("none", "mean"),
        unaided=("unaided", "mean"),
    )
    rows["fraction"] = rows["mean"] / rows.points
    rows["discrimination"] = [_correlation(each) for _, each in groups]
    return rows.reset_index()


def _correlation(answers: pd.DataFrame) -> float:
    """Return the correlation of an exercise's points with those in the rest of its unit, or nan."""
    known = answers.dropna(subset="rest")
    varied = known.score.nunique() > 1 and known.rest.nunique() > 1
    if len(known) < FEWEST or not varied:
        return float("nan")
    return float(np.corrcoef(known.score, known.rest)[0, 1])
