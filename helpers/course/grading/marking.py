"""Enters what came of a submission into nbgrader's gradebook, and reads what it says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.utils import determine_grade, is_grade

from helpers.checks.engine import report
from helpers.checks.engine.report import Finding
from helpers.course.authoring.nbgrade import Grader, gradebook
from helpers.course.grading.execute import Outcome
from helpers.course.intake import Submission
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
    nbformat.write(_writable(notebook), target / f"{unit}.ipynb")
    if found.when:  # nbgrader counts late days from it
        (target / "timestamp.txt").write_text(found.when)
    grader.autograde(unit, student, _writable(outcome.outputs))
    said: dict[str, Any] = {}
    if outcome.held and (points := _hold(out, student, unit)):
        held = f"points that wait until somebody has looked: {points:g}"
        said["flags"] = "; ".join([held, *outcome.flags])
    try:
        grader.feedback(unit, student)
    except CourseError as error:  # the marks are in the gradebook all the same
        said["status"] = f"graded, without a feedback page: {error}"
    return marks(out, student, unit) | said


def _hold(out: Path, student: str, unit: str) -> float:
    """Leave the points of the checks to a person, as those of an essay; how many it were."""
    points = 0.0
    with Gradebook(gradebook(out), "order-matters") as book:
        for notebook in _submission(book, student, unit).notebooks:
            for grade in notebook.grades:
                if grade.auto_score and grade.manual_score is None:
                    points += grade.auto_score
                    grade.auto_score, grade.needs_manual_grade = None, True
        book.db.commit()
    return points


def _writable(value: Any) -> Any:
    """The same without halves of characters, which JSON may name and no file can hold."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return nbformat.from_dict(json.loads(text))


def again(grader: Grader, out: Path, found: Submission) -> dict[str, Any]:
    """`marks` of a notebook graded before; its page is written anew where a person has graded."""
    with Gradebook(gradebook(out), "order-matters") as book:
        notebooks = _submission(book, found.student, found.unit).notebooks
        by_hand = any(
            given is not None
            for notebook in notebooks
            for given in (
                *(grade.manual_score for grade in notebook.grades),
                *(grade.extra_credit for grade in notebook.grades),
                *(comment.manual_comment for comment in notebook.comments),
            )
        )
    page = out / "feedback" / found.student / found.unit / f"{found.unit}.html"
    if by_hand or not page.exists():
        grader.feedback(found.unit, found.student)
    return marks(out, found.student, found.unit)


def _submission(book: Gradebook, student: str, unit: str) -> Any:
    try:
        return book.find_submission(unit, student)
    except MissingEntry as error:
        raise CourseError(str(error)) from error


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
        submission = _submission(book, student, unit)
        found = {"score": submission.score, "max_score": submission.max_score}
        waiting = [g for n in submission.notebooks for g in n.grades if g.needs_manual_grade]
        found["pending"] = sum(each.max_score for each in waiting)
        by_hand = submission.needs_manual_grade
        found["status"] = "graded, the rest by hand" if by_hand else "graded"
    return found | {"hints": hints(out / "autograded" / student / unit / f"{unit}.ipynb")}


def hints(notebook: Path) -> list[str]:
    """The hints in a graded notebook, each once, in the order of its exercises."""
    given = [each.hint for found in findings(notebook).values() for each in found]
    return list(dict.fromkeys(filter(None, given)))


def findings(notebook: Path) -> dict[str, list[Finding]]:
    """What the checks of a graded notebook found, by exercise."""
    return {
        cell.metadata.nbgrader.grade_id.removesuffix("-test"): found(cell)
        for cell in nbformat.read(notebook, as_version=4).cells
        if "nbgrader" in cell.metadata and is_grade(cell) and cell.cell_type == "code"
    }


def found(cell: NotebookNode) -> list[Finding]:
    """What the check in a cell found; nothing where its outputs have another form."""
    for output in cell.outputs:
        match output.get("data"):
            case {report.FINDINGS: {"findings": [*all_found]}} if all(map(_is_finding, all_found)):
                return [Finding(**each) for each in all_found]
    return []


def _is_finding(data: Any) -> bool:
    match data:
        case {
            "part": str(),
            "points": int() | float(),
            "earned": int() | float(),
            "message": str(),
            "hint": str(),
            **more,
        }:
            return not more
    return False


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
