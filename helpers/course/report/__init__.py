"""One page for the instructor: how the class did, what it misunderstood, what needs a person.

All its numbers come from two tables: that of grades.csv, a row per submission, and `answers`, a row
per learner and exercise.
"""

from __future__ import annotations

import platform
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd

from helpers.course import settings
from helpers.course.authoring import source
from helpers.course.grading import journal, lateness, roster, similarity
from helpers.course.grading.gradebook import NO_UNIT
from helpers.course.grading.similarity import Pair
from helpers.course.pages.page import page
from helpers.course.report import predictions
from helpers.course.settings import Course

BINS = 10  # of the distribution of marks
CELL = re.compile(r"^[\w-]+: ")  # the name that a repair begins with
COLUMNS: dict[str, Any] = {  # with their types
    "student": object, "unit": object, "exercise": object, "score": float, "max_score": float,
    "waiting": bool, "hints": object,
}  # fmt: skip
FEWEST = 3  # learners of whom a correlation says anything
KEY = ["unit", "exercise", "title"]


def write(course: Course, out: Path, rows: pd.DataFrame) -> Path:
    """Write OUT/report.html from the rows of grades.csv and what else is in OUT."""
    rows = rows.assign(status=rows.status.astype(str))  # also of no rows
    rows["graded"] = rows.status.str.startswith("graded")
    is_missing = rows.status.str.endswith(roster.MISSING)
    missing, rows = rows[is_missing], rows[~is_missing]
    graded = rows[rows.graded]
    table = answers(course, out, graded)
    marks = _marks(table)
    rows = rows.drop(columns=["score", "pending", "max_score"]).merge(marks, how="left")
    rows["score"] -= rows.penalty  # as on the learner's page
    rows["link"] = [_link(row, out) for row in rows.itertuples()]
    graded = rows[rows.graded]
    text = page(
        "report.html.j2",
        sortable=True,
        written=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        versions={"course": version("order-matters"), "Python": platform.python_version()}
        | {name: version(name) for name in ("torch", "nbgrader")},
        rows=rows,
        graded=graded,
        units=list(_units(rows).itertuples()),
        distributions=[(unit, _histogram(own.fraction)) for unit, own in graded.groupby("unit")],
        learners=[(student, _learner(own)) for student, own in rows.groupby("student")],
        exercises=list(exercises(table).itertuples()),
        given={(row.unit, row.student, row.exercise): row for row in table.itertuples()},
        misconceptions=list(_misconceptions(table, graded).itertuples()),
        predictions=predictions.predictions(course, out, graded),
        waiting=[
            (unit, title, list(own.student))
            for (unit, title), own in table[table.waiting].groupby(["unit", "title"])
        ],
        pairs=write_similar(out, graded),
        late=list(rows[~rows.late.isin(["", "no"])].itertuples()),
        costs=str(lateness.rules(out) or ""),
        flagged=_reasons(rows, "flags"),
        repaired=_reasons(rows, "repairs"),
        left_out=list(rows[~rows.graded].itertuples()),
        missing=[(unit, list(own.student)) for unit, own in missing.groupby("unit")],
    )
    settings.write(out / "report.html", text)
    return out / "report.html"


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


def _marks(table: pd.DataFrame) -> pd.DataFrame:
    """Return points by unit and learner: `score` of `decided`; `pending` wait for a person."""
    waits = table.waiting
    split = table.assign(
        score=table.score.mask(waits, 0),
        decided=table.max_score.mask(waits, 0),
        pending=table.max_score.where(waits, 0),
    )
    sums = ["score", "decided", "pending", "max_score"]
    marks = split.groupby(["unit", "student"], as_index=False)[sums].sum()
    marks["fraction"] = (marks.score / marks.decided.where(marks.decided > 0)).clip(0, 1)
    return marks.assign(graded=True)


def _units(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.groupby("unit").agg(
        handed_in=("student", "size"),
        graded=("max_score", "count"),
        points=("max_score", "max"),
        pending=("pending", "sum"),
        mean=("fraction", "mean"),
        median=("fraction", "median"),
        lowest=("fraction", "min"),
        highest=("fraction", "max"),
    )


def _histogram(fractions: pd.Series) -> list[tuple[int, int, int]]:
    """Return bins of marks: from, to, both in percent, and how many learners are in it."""
    counts, edges = np.histogram(100 * fractions.dropna(), bins=BINS, range=(0, 100))
    ends = edges.astype(int).tolist()
    return list(zip(ends, ends[1:], counts.tolist(), strict=False))


def _learner(rows: pd.DataFrame) -> dict[str, Any]:
    units = {row.unit: row for row in rows.sort_values("graded").itertuples()}  # a mark, if any
    return {"units": units, "score": rows.score.sum(), "pending": rows.pending.sum()}


def _misconceptions(table: pd.DataFrame, graded: pd.DataFrame) -> pd.DataFrame:
    """Return each hint with its exercise and who was given it, the commonest first."""
    given = table.explode("hints").dropna(subset="hints")
    rows = given.groupby(["unit", "exercise", "title", "hints"], as_index=False).agg(
        students=("student", "unique"), learners=("student", "nunique")
    )
    rows["of"] = rows.unit.map(graded.unit.value_counts())
    return rows.sort_values(["learners", "unit", "exercise"], ascending=[False, True, True])


def _reasons(rows: pd.DataFrame, column: str) -> list[tuple[Any, list[str]]]:
    """Return rows with flags or repairs, and these; what is said of several cells stands once."""
    found = []
    for row in rows[rows[column] != ""].itertuples():
        counts = Counter(CELL.sub("", each) for each in getattr(row, column).split("; "))
        texts = [f"{text} ({count} times)" if count > 1 else text for text, count in counts.items()]
        found.append((row, texts))
    return found


def _link(row: Any, out: Path) -> str:
    """Return where the feedback page of a row is, seen from the report; "" if it has none."""
    unit = row.unit or NO_UNIT
    page = f"feedback/{row.student}/{unit}/{unit}.html"
    without = "without a feedback page" in row.status or not (out / page).exists()
    return "" if without else quote(page)


def write_similar(out: Path, graded: pd.DataFrame) -> list[Pair]:
    """Write the page on the rows in `graded`, and return the pairs on it; a group is one."""
    own = graded[~graded.repairs.str.contains(roster.FOR_GROUP, regex=False)]
    found = [
        pair
        for unit, rows in own.groupby("unit")
        for pair in similarity.pairs(out, str(unit), sorted(rows.student))
    ]
    text = page("similar.html.j2", pairs=found, alike=similarity.ALIKE, zip=zip)
    settings.write(out / "similar.html", text)
    return found
