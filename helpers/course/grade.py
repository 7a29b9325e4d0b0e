"""Autograde a folder of submissions with nbgrader; one bad notebook costs nobody else anything."""

from __future__ import annotations

import errno
import shutil
import time
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.utils import determine_grade, is_grade
from tqdm import tqdm

from helpers.checks.report import FINDINGS
from helpers.course import build
from helpers.course.nbgrade import Grader, gradebook
from helpers.course.settings import Course, CourseError

COLUMNS = ["student", "unit", "score", "max_score", "status", "hints", "seconds"]


def grade(course: Course, submissions: Path, out: Path) -> pd.DataFrame:
    """Grade SUBMISSIONS/STUDENT/UNIT/UNIT.ipynb into OUT; a row per submission.

    OUT gets grades.csv, nbgrader's gradebook.db and feedback/STUDENT/UNIT/UNIT.html.

    Raises:
        CourseError: the folder holds no submission.
    """
    students = [path for path in sorted(submissions.glob("[!.]*")) if path.is_dir()]
    found = [unit for student in students for unit in _units_of(student)]
    if not found:
        raise CourseError(
            f"no submission in {submissions}: it should hold STUDENT/UNIT/UNIT.ipynb, "
            "for example submissions/ada/02-sinusoidal/02-sinusoidal.ipynb"
        )
    places = [out.resolve(), submissions.resolve()]
    if course.root in places or places[0] in [places[1], *places[1].parents, course.source]:
        raise CourseError(f"--out {out} holds the course or the submissions; name another folder")
    if places[1] in places[0].parents:
        raise CourseError(f"--out {out} is inside {submissions}; name a folder beside it")
    out.mkdir(parents=True, exist_ok=True)
    grader = Grader(course, out)
    units = set(course.units())
    for unit in sorted({path.name for path in found} & units):
        _prepare(course, unit, out)
    rows = [_graded(grader, out, path, units) for path in tqdm(found, desc="grading")]
    table = pd.DataFrame(rows, columns=COLUMNS)
    fresh = out / "grades.csv.new"
    table.to_csv(fresh, index=False)
    fresh.replace(out / "grades.csv")
    return table


def _units_of(student: Path) -> list[Path]:
    """What a student handed in; a name that says so where there is no folder of a unit."""
    folders = [path for path in sorted(student.glob("[!.]*")) if path.is_dir()]
    return folders or [student / "(no folder of a unit)"]


def _prepare(course: Course, unit: str, out: Path) -> None:
    try:
        build.make(course, unit, out)
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


def _graded(grader: Grader, out: Path, path: Path, units: set[str]) -> dict[str, Any]:
    student, unit = path.parent.name, path.name
    row = {"student": student, "unit": unit, "score": 0.0, "max_score": 0.0, "hints": []}
    start = time.perf_counter()
    try:
        row["status"] = _refusal(path, units)
        if not row["status"]:
            target = out / "submitted" / student / unit
            for old in (target, out / "feedback" / student / unit):
                shutil.rmtree(old, ignore_errors=True)
            shutil.copytree(path, target, ignore_dangling_symlinks=True)
            grader.autograde(unit, student)
            grader.feedback(unit, student)
            row |= _marks(out, student, unit)
    except (CourseError, OSError) as error:
        if getattr(error, "errno", None) == errno.ENOSPC:
            raise  # not this learner's doing, and no row of the table would be right
        row["status"] = f"failed: {error}"
    return row | {"seconds": round(time.perf_counter() - start, 1)}


def _refusal(path: Path, units: set[str]) -> str:
    """Why the submission cannot be graded; empty if it can."""
    if path.name not in units:
        return f"not graded: no unit is called {path.name}"
    notebook = path / f"{path.name}.ipynb"
    if not notebook.exists():
        return f"not graded: {notebook.name} is missing"
    try:
        nbformat.read(notebook, as_version=4)
    except Exception as error:  # whatever is wrong with it, the others are graded
        return f"not graded: {notebook.name} is no notebook ({type(error).__name__})"
    return ""


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
