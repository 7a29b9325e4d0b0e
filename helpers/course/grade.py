"""Autograde a folder of submissions with nbgrader; one bad notebook costs nobody else anything."""

from __future__ import annotations

import errno
import shutil
import time
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.utils import determine_grade, is_grade
from tqdm import tqdm

from helpers.checks.report import FINDINGS
from helpers.course import build, intake, repair, source
from helpers.course.intake import Submission
from helpers.course.nbgrade import Grader, gradebook
from helpers.course.settings import Course, CourseError

COLUMNS = ["student", "unit", "score", "max_score", "status", "repairs", "hints", "seconds"]


def grade(course: Course, submissions: Path, out: Path) -> pd.DataFrame:
    """Grade what `intake` finds in SUBMISSIONS into OUT; a row per submission.

    OUT gets grades.csv, nbgrader's gradebook.db and feedback/STUDENT/UNIT/UNIT.html.

    Raises:
        CourseError: the folder holds no submission.
    """
    places = [out.resolve(), submissions.resolve()]
    if course.root in places or places[0] in [places[1], *places[1].parents, course.source]:
        raise CourseError(f"--out {out} holds the course or the submissions; name another folder")
    if places[1] in places[0].parents:
        raise CourseError(f"--out {out} is inside {submissions}; name a folder beside it")
    out.mkdir(parents=True, exist_ok=True)
    names = _names(course)
    found = intake.find(submissions, list(names), out / "unpacked", lambda p: _guess(p, names))
    grader = Grader(course, out)
    releases = {
        unit: _prepare(course, unit, out) for unit in sorted({each.unit for each in found} - {""})
    }
    rows = [_graded(grader, out, each, releases) for each in tqdm(found, desc="grading")]
    table = pd.DataFrame(rows, columns=COLUMNS)
    fresh = out / "grades.csv.new"
    table.to_csv(fresh, index=False)
    fresh.replace(out / "grades.csv")
    return table


def _names(course: Course) -> dict[str, set[str]]:
    """For each unit the names of its graded cells."""
    texts = {unit: source.read(course.text(unit)) for unit in course.units()}
    return {unit: {cell.name for cell in cells if cell.name} for unit, cells in texts.items()}


def _guess(path: Path, names: dict[str, set[str]]) -> str:
    """The unit that most of the cells are of; empty if none is, or the file cannot be read."""
    try:
        told = {name for cell in repair.read(path.read_bytes())[0] for name in repair.names(cell)}
    except (CourseError, OSError):
        return ""
    shared = {unit: len(told & of_unit) for unit, of_unit in names.items()}
    best = max(shared, key=lambda unit: shared[unit])
    return best if shared[best] else ""


def _prepare(course: Course, unit: str, out: Path) -> NotebookNode:
    """The unit's release; its source and its row in the gradebook are made in OUT."""
    try:
        return build.make(course, unit, out).released
    except CourseError as error:
        hint = (
            f"Was {out} graded with an older source of {unit}? Then name a new folder with --out."
        )
        raise CourseError(f"{error}\n{hint}") from error


def as_text(table: pd.DataFrame) -> str:
    """Marks as a table, then the hints that each learner was given."""
    marks = table[["student", "unit", "score", "max_score", "status"]].to_string(index=False)
    hints = [
        f"\n{student}, {unit}:\n" + "\n".join(f"  - {hint}" for hint in hints)
        for student, unit, hints in table[["student", "unit", "hints"]].itertuples(index=False)
        if hints
    ]
    return marks + ("\n\nHints given\n" + "".join(hints) if hints else "")


def _graded(
    grader: Grader, out: Path, found: Submission, releases: dict[str, NotebookNode]
) -> dict[str, Any]:
    student, unit = found.student, found.unit
    row = {"student": student, "unit": unit, "score": 0.0, "max_score": 0.0, "hints": []}
    start = time.perf_counter()
    repairs = list(found.notes)
    try:
        notebook = _repaired(found, releases, repairs)
        target = out / "submitted" / student / unit
        for old in (target, out / "feedback" / student / unit):
            shutil.rmtree(old, ignore_errors=True)
        target.mkdir(parents=True)
        nbformat.write(notebook, target / f"{unit}.ipynb")
        grader.autograde(unit, student)
        grader.feedback(unit, student)
        row |= _marks(out, student, unit)
    except (CourseError, OSError) as error:
        if getattr(error, "errno", None) == errno.ENOSPC:
            raise  # not this learner's doing, and no row of the table would be right
        row["status"] = str(error)
    seconds = round(time.perf_counter() - start, 1)
    return row | {"repairs": "; ".join(repairs), "seconds": seconds}


def _repaired(
    found: Submission, releases: dict[str, NotebookNode], repairs: list[str]
) -> NotebookNode:
    """The notebook to be graded; what was repaired is added to `repairs`.

    Raises:
        CourseError: there is nothing that could be graded.
    """
    if found.path.is_dir():
        raise CourseError("not graded: no notebook in the folder")
    try:
        cells, of_file = repair.read(found.path.read_bytes())
    except CourseError as error:
        raise CourseError(f"not graded: {error}") from error
    if not found.unit:
        raise CourseError("not graded: neither its name nor its cells are those of a unit")
    notebook, of_cells = repair.restored(cells, releases[found.unit])
    repairs += of_file + of_cells
    return notebook


def _marks(out: Path, student: str, unit: str) -> dict[str, Any]:
    with Gradebook(gradebook(out), "order-matters") as book:
        try:
            submission = book.find_submission(unit, student)
        except MissingEntry as error:
            raise CourseError(str(error)) from error
        marks = {"score": submission.score, "max_score": submission.max_score}
        by_hand = submission.needs_manual_grade
        marks["status"] = "graded, answers to read by hand" if by_hand else "graded"
    return marks | {"hints": hints(out / "autograded" / student / unit / f"{unit}.ipynb")}


def hints(notebook: Path) -> list[str]:
    """The hints in a graded notebook, each once, in the order of its exercises."""
    reports = findings(notebook)
    given = [finding["hint"] for report in reports for finding in report["findings"]]
    return list(dict.fromkeys(filter(None, given)))


def findings(notebook: Path) -> list[dict[str, Any]]:
    """What the checks of a graded notebook found, one dictionary per test cell."""
    cells = nbformat.read(notebook, as_version=4).cells
    return [
        output.data[FINDINGS] | {"grade_id": cell.metadata.nbgrader.grade_id}
        for cell in cells
        if "nbgrader" in cell.metadata and is_grade(cell) and cell.cell_type == "code"
        for output in cell.outputs
        if FINDINGS in output.get("data", {})
    ]


def scores(notebook: Path) -> dict[str, float]:
    """Points by exercise of a graded notebook, as nbgrader reads them from its outputs.

    What is graded by hand is left out.
    """
    cells = nbformat.read(notebook, as_version=4).cells
    graded = {
        cell.metadata.nbgrader.grade_id.removesuffix("-test"): determine_grade(cell)[0]
        for cell in cells
        if "nbgrader" in cell.metadata and is_grade(cell)
    }
    return {name: score for name, score in graded.items() if score is not None}
