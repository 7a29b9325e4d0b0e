"""Enters what came of a submission into nbgrader's gradebook, and reads what it says."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.utils import determine_grade, is_grade

from helpers.checks.report import FINDINGS
from helpers.course.execute import Outcome
from helpers.course.intake import Submission
from helpers.course.nbgrade import Grader, gradebook
from helpers.course.settings import CourseError


def enter(
    grader: Grader, out: Path, found: Submission, notebook: NotebookNode, outcome: Outcome
) -> dict[str, Any]:
    """Write submitted/, autograded/, feedback/ and the gradebook; what a row says of the marks.

    Raises:
        CourseError: nbgrader refuses it.
    """
    student, unit = found.student, found.unit
    target = out / "submitted" / student / unit
    withdraw(out, student, unit)
    target.mkdir(parents=True)
    nbformat.write(notebook, target / f"{unit}.ipynb")
    when = found.path.with_name("timestamp.txt")  # nbgrader counts late days from it
    if when.is_file():
        shutil.copy(when, target)
    grader.autograde(unit, student, outcome.outputs)
    grader.feedback(unit, student)
    return marks(out, student, unit)


def withdraw(out: Path, student: str, unit: str) -> None:
    """Remove what an earlier notebook left; marks given by hand stay in the gradebook."""
    for old in (out / "submitted" / student / unit, out / "feedback" / student / unit):
        shutil.rmtree(old, ignore_errors=True)


def marks(out: Path, student: str, unit: str) -> dict[str, Any]:
    """What the gradebook says now, marks given by hand included, and the hints that were given.

    Raises:
        CourseError: there is no such submission.
    """
    with Gradebook(gradebook(out), "order-matters") as book:
        try:
            submission = book.find_submission(unit, student)
        except MissingEntry as error:
            raise CourseError(str(error)) from error
        found = {"score": submission.score, "max_score": submission.max_score}
        by_hand = submission.needs_manual_grade
        found["status"] = "graded, answers to read by hand" if by_hand else "graded"
    return found | {"hints": hints(out / "autograded" / student / unit / f"{unit}.ipynb")}


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
