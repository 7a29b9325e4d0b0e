"""Enters what workers made of submissions into nbgrader's gradebook, and reads what it says."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import v4
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.utils import is_grade, is_solution
from sqlalchemy import text

from helpers.checks.engine import report
from helpers.checks.engine.report import Finding
from helpers.course.authoring.nbgrade import COURSE, Grader, gradebook
from helpers.course.grading import lateness
from helpers.course.intake import Submission
from helpers.course.settings import CourseError

FILES = {"submitted": "ipynb", "autograded": "ipynb", "feedback": "html"}
SEARCHED = (  # without an index, nbgrader reads the rows of the whole class for each notebook
    ("grade", "notebook_id"),
    ("comment", "notebook_id"),
    ("submitted_notebook", "assignment_id"),
)


@dataclass
class Graded:
    """What a worker made of a submission.

    Args:
        files: contents by the folder of nbgrader's that they belong in.
        scores, comments: by name of the cell, as nbgrader's autograder gives them.
        kept: outputs of checks that were not run again are among it.
        problem: why there is no page.
        limited: who held the limits of memory and processes.
    """

    repairs: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    kept: bool = False
    hints: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    total: float = 0.0
    scores: dict[str, float | None] = field(default_factory=dict)
    comments: dict[str, str | None] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    problem: str = ""
    limited: str = ""


def indexed(out: Path) -> None:
    """Have the gradebook find a notebook's rows without reading those of the whole class."""
    with Gradebook(gradebook(out), COURSE) as book:
        for table, column in SEARCHED:
            name = f"order_matters_{table}"
            book.db.execute(text(f"CREATE INDEX IF NOT EXISTS {name} ON {table} ({column})"))
        book.db.commit()


def enter(
    grader: Grader, out: Path, batch: Sequence[tuple[Submission, Graded]]
) -> list[dict[str, Any]]:
    """Write what workers made of some submissions, all of them or none into the gradebook.

    A commit waits for the disk, so the notebooks that are ready at a time share one.

    Returns:
        What their rows say of the marks.

    Raises:
        CourseError: nbgrader refuses one of them.
    """
    with Gradebook(gradebook(out), COURSE) as book:
        book.db.commit = lambda: None  # by which nbgrader ends each of its steps
        for found, _ in batch:
            book.update_or_create_student(found.student)
        book.db.flush()
        with book.db.no_autoflush:
            rows = [_put(book, out, *each) for each in batch]
        book.db().commit()
        for found, graded in batch:  # after what is told by the notebooks that these replace
            _write(out, found, graded.files)
        charged = _charged(grader, book, out, batch)
        for (found, graded), row, (said, late) in zip(batch, rows, charged, strict=True):
            # A worker's page tells neither of lateness nor of what a person wrote.
            problem = _rendered(grader, found) if row.pop("anew") or late else ""
            row |= marks(book, found.student, found.unit) | {"hints": graded.hints} | said
            if problem:
                row["status"] = f"graded, without a feedback page: {problem}"
    return rows


def _charged(
    grader: Grader, book: Gradebook, out: Path, batch: Sequence[tuple[Submission, Graded]]
) -> list[tuple[dict[str, Any], bool]]:
    """Enter what lateness costs some submissions; what their rows say, and whether each is late."""
    rules = lateness.rules(out)
    entered = [submission(book, found.unit, found.student) for found, _ in batch]
    overdue = [each for each in entered if not rules and each.total_seconds_late > 0]
    for each in overdue:
        grader.penalize(each.assignment.name, each.student_id)
    if overdue:
        book.db().expire_all()  # nbgrader has written by a connection of its own
    charged = [
        (lateness.charge(each, found, rules)[0], lateness.seconds(each) > 0)
        for each, (found, _) in zip(entered, batch, strict=True)
    ]
    book.db().commit()
    return charged


def _put(book: Gradebook, out: Path, found: Submission, graded: Graded) -> dict[str, Any]:
    """Change the gradebook; what the row says, and whether the page has to be written anew."""
    late = {"timestamp": found.when} if found.when else {}  # nbgrader counts late days from it
    entered = book.update_or_create_submission(found.unit, found.student, **late)
    [notebook] = entered.notebooks
    unit = notebook.notebook
    cells = (*unit.grade_cells, *unit.solution_cells, *unit.task_cells)
    names = {cell.id: cell.name for cell in cells}
    notebook.late_submission_penalty = None
    by_hand = _by_hand(notebook)
    changed = _changed(out, found, graded) if by_hand else set()
    for grade in notebook.grades:
        name = names[grade.cell_id]
        grade.auto_score = graded.scores[name]
        undecided = grade.auto_score is None and grade.manual_score is None
        # Nobody has looked at the answer for which points given by hand would now stand.
        review = grade.needs_manual_grade or name.removesuffix("-test") in changed
        grade.needs_manual_grade = undecided or (_given(grade) and review)
    for comment in notebook.comments:
        comment.auto_comment = graded.comments[names[comment.cell_id]]
    return {"anew": bool(graded.problem) or by_hand, "flags": "; ".join(graded.flags)}


def _changed(out: Path, found: Submission, graded: Graded) -> set[str]:
    """Name the answers that are not those graded before, or of which nobody knows it."""
    path = out / "autograded" / found.student / found.unit / f"{found.unit}.ipynb"
    before = _answers(path.read_bytes()) if path.exists() else {}
    return {n for n, text in _answers(graded.files["autograded"]).items() if before.get(n) != text}


def _answers(notebook: bytes) -> dict[str, str]:
    """Read what is written in each cell for an answer, by its name."""
    cells = v4.reads(notebook.decode()).cells
    return {c.metadata.nbgrader.grade_id: c.source.strip() for c in cells if is_solution(c)}


def _write(out: Path, found: Submission, files: dict[str, bytes]) -> None:
    """Put the files where nbgrader's own commands look for them, and remove earlier ones."""
    for kind, ending in FILES.items():
        folder = out / kind / found.student / found.unit
        shutil.rmtree(folder, ignore_errors=True)
        if kind in files:
            folder.mkdir(parents=True)
            path = folder / f"{found.unit}.{ending}"
            path.write_bytes(files[kind])
            if found.when:
                (folder / "timestamp.txt").write_text(found.when)
            path.chmod(0o444 if kind == "autograded" else 0o644)


def _rendered(grader: Grader, found: Submission) -> str:
    """Write a page that tells of more than a worker knows; empty, or why there is none."""
    try:
        grader.feedback(found.unit, found.student)
    except CourseError as error:  # the marks are in the gradebook all the same
        return str(error)
    return ""


def _by_hand(notebook: Any) -> bool:
    """Whether a person has given points or written a comment."""
    comments = (each.manual_comment for each in notebook.comments)
    return any(map(_given, notebook.grades)) or any(each is not None for each in comments)


def _given(grade: Any) -> bool:
    """Tell whether a person has given points."""
    return grade.manual_score is not None or grade.extra_credit is not None


def again(grader: Grader, out: Path, found: Submission) -> dict[str, Any]:
    """The same of a notebook graded before; its page is written anew where it has to say more."""
    with Gradebook(gradebook(out), COURSE) as book:
        entered = submission(book, found.unit, found.student)
        by_hand = any(map(_by_hand, entered.notebooks))
        said, changed = lateness.charge(entered, found, lateness.rules(out))
        book.db.commit()
        page = out / "feedback" / found.student / found.unit / f"{found.unit}.html"
        if by_hand or changed or not page.exists():
            grader.feedback(found.unit, found.student)
        said |= marks(book, found.student, found.unit)
    notebook = out / "autograded" / found.student / found.unit / f"{found.unit}.ipynb"
    return said | {"hints": hints(notebook)}


def now(grader: Grader, out: Path, student: str, unit: str) -> dict[str, Any]:
    """Read the marks, and put what a person has given since on the page and into the penalty.

    Raises:
        CourseError: there is no such submission.
    """
    with Gradebook(gradebook(out), COURSE) as book:
        entered = submission(book, unit, student)
        if any(map(_by_hand, entered.notebooks)):
            if rules := lateness.rules(out):
                lateness.penalize(entered, rules)
            book.db.commit()
            with suppress(CourseError):  # nbgrader has removed the old page then
                grader.feedback(unit, student)
        return marks(book, student, unit) | {"penalty": lateness.penalty(entered)}


def submission(book: Gradebook, unit: str, student: str) -> Any:
    """What a student has handed in for a unit.

    Raises:
        CourseError: nothing.
    """
    try:
        return book.find_submission(unit, student)
    except MissingEntry as error:
        raise CourseError(str(error)) from error


def marks(book: Gradebook, student: str, unit: str) -> dict[str, Any]:
    """What the gradebook says now, marks given by hand included.

    Raises:
        CourseError: there is no such submission.
    """
    entered = submission(book, unit, student)
    found = {"score": entered.score, "max_score": entered.max_score}
    waiting = [g for n in entered.notebooks for g in n.grades if g.needs_manual_grade]
    found["pending"] = sum(each.max_score for each in waiting)
    found["status"] = "graded, the rest by hand" if entered.needs_manual_grade else "graded"
    return found


def hints(notebook: Path) -> list[str]:
    """The hints in a graded notebook, each once, in the order of its exercises."""
    given = [each.hint for found in findings(notebook).values() for each in found]
    return list(dict.fromkeys(filter(None, given)))


def findings(notebook: Path) -> dict[str, list[Finding]]:
    """What the checks of a graded notebook found, by exercise."""
    cells = v4.reads(notebook.read_text("utf-8")).cells  # nbgrader has validated it
    return {
        cell.metadata.nbgrader.grade_id.removesuffix("-test"): report.findings_in(cell.outputs)
        for cell in cells
        if "nbgrader" in cell.metadata and is_grade(cell) and cell.cell_type == "code"
    }
