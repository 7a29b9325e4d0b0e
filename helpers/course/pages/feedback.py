"""The page that a learner gets back: marks and what to do about them, then the notebook.

`render` makes it of an autograded notebook and a `Mark`. nbgrader's own GenerateFeedback calls it
by `Feedback`, the `exporter_class` in nbgrader_config.py, which fills the mark from the gradebook.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup
from nbconvert.exporters import Exporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.utils import is_grade, is_solution

from helpers.checks.engine.report import Finding, deduplicated, findings_in
from helpers.course.pages import sanitize
from helpers.course.pages.page import code, page

TITLE = re.compile(r"<h3>(Exercise \d+: .+?)</h3>")
HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
UNDRAWN = re.compile(r"<Figure size|<IPython\.|<matplotlib\.")  # no description of a picture
NOTES = "order-matters-notes"  # of an autograded notebook's metadata: what was unusual
OURS = {"NotRun", "NoMarks", "TimeLimit"}  # errors that the grader makes
PARTLY = " What stands before that has kept its points; what comes after could not be checked."


@dataclass(frozen=True)
class Grade:
    """What a cell has: points, the most, and what a person has to do or has said.

    Args:
        needs_manual: a person still has to give the points.
        by_hand: a person has given them.
        comment: that person's, or nbgrader's own on an answer left empty.
    """

    score: float = 0.0
    max_score: float = 0.0
    needs_manual: bool = False
    by_hand: bool = False
    comment: str = ""


@dataclass(frozen=True)
class Mark:
    """What a learner has in a unit.

    Args:
        grades: by nbgrader's name of each cell for an answer or its check. A cell that has a
            comment but no points of its own has a `max_score` of 0.
        penalty: points lost because the notebook came late.
        seconds_late: after the due date; 0 where it was in time, or nobody knows.
    """

    unit: str
    student: str
    grades: dict[str, Grade]
    penalty: float = 0.0
    seconds_late: float = 0.0


@dataclass
class Exercise:
    """One row of the summary.

    Args:
        name: the exercise's, in the source; the page's places are called by it.
        findings: what the check found in each part; empty where there was none.
        message: what else there is to say of a check, as when the code stopped.
    """

    name: str
    title: str
    grade: Grade = Grade()
    comment: str = ""
    findings: list[Finding] = field(default_factory=list)
    message: str = ""

    @property
    def state(self) -> str:
        """Return the word that also chooses colour and mark."""
        if self.grade.needs_manual:
            return "waiting"
        if self.grade.score >= self.grade.max_score:
            return "right"
        return "partly" if self.grade.score > 0 else "wrong"


class Feedback(Exporter):
    """nbgrader's exporter for `GenerateFeedback`."""

    file_extension = ".html"

    def from_notebook_node(  # type: ignore[override]  # as nbconvert's own HTMLExporter, a text
        self, nb: NotebookNode, resources: Any = None, **_options: Any
    ) -> tuple[str, ResourcesDict]:
        """Return the page for the student and assignment that `resources` name."""
        notebook, resources = super().from_notebook_node(nb, resources)
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as book:
            mark = mark_of(book.find_submission(names["assignment"], names["student"]))
        return render(notebook, mark), resources


def mark_of(submission: SubmittedAssignment) -> Mark:
    """Return what nbgrader's gradebook has of a submission, which has one notebook."""
    [notebook] = submission.notebooks
    comments = {each.name: each.comment or "" for each in notebook.comments}
    grades = {name: Grade(comment=comment) for name, comment in comments.items() if comment}
    for each in notebook.grades:
        waits, by_hand = bool(each.needs_manual_grade), each.manual_score is not None
        comment = comments.get(each.name, "")
        grades[each.name] = Grade(each.score, each.max_score, waits, by_hand, comment)
    penalty = notebook.late_submission_penalty or 0.0
    late = submission.total_seconds_late if submission.duedate else 0.0
    return Mark(submission.name, submission.student_id, grades, penalty, late)


def render(notebook: NotebookNode, mark: Mark) -> str:
    """Return the page, as HTML.

    Args:
        notebook: as `sanitize` leaves it, and as it stands in autograded/.
    """
    exercises = _exercises(notebook, mark.grades)
    return page(
        "feedback.html.j2",
        mark=mark,
        exercises=list(exercises.values()),
        notices=_notices(notebook),
        notes=notebook.metadata.get(NOTES, []),
        cells=list(_cells(notebook, exercises)),
        picture=sanitize.picture,
        alt=_alt,
        failure=_failure,
        deduplicated=deduplicated,
    )


def _name(cell: NotebookNode) -> str:
    """Return nbgrader's name of a cell; "" where it has none."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _exercise(cell: NotebookNode) -> str:
    return _name(cell).removesuffix("-test")


def _exercises(notebook: NotebookNode, grades: dict[str, Grade]) -> dict[str, Exercise]:
    """Return the exercises by name, in order; titles are read from the headings above."""
    found: dict[str, Exercise] = {}
    title = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (heading := TITLE.search(cell.source)):
            title = Markup(sanitize.CLEANER.clean(heading[1]))
        if not (name := _name(cell)):
            continue
        row = found.setdefault(_exercise(cell), Exercise(_exercise(cell), title or _exercise(cell)))
        title = ""
        grade = grades.get(name, Grade())
        row.comment = grade.comment or row.comment
        if is_grade(cell):
            row.grade = grade
        if is_grade(cell) and cell.cell_type == "code":
            row.findings = findings_in(cell.outputs)
            row.message = next(map(_words, _errors(cell)), "")
    return found


def _errors(cell: NotebookNode) -> list[NotebookNode]:
    return [each for each in cell.get("outputs", []) if each.output_type == "error"]


def _words(error: NotebookNode) -> str:
    """Return what an error means; what a hidden test says of itself stays hidden."""
    reason = error.evalue.removeprefix("not run: ")
    match error.ename:
        case "NotRun":
            return f"This could not be run: {reason}."
        case "NoMarks":
            return f"No points: {reason}."
        case "TimeLimit":
            return f"Stopped: {reason}."
        case "AssertionError":
            return reason or "A check failed."
        case "NotImplementedError":
            return "Not written yet."
        case name:
            return f"Your code stops with {name}{': ' if reason else ''}{reason}"


def _notices(notebook: NotebookNode) -> list[str]:
    """Return what went wrong as the notebook ran, each once."""
    errors = [e for cell in notebook.cells for e in _errors(cell) if e.ename in OURS]
    notices = [_words(each) + (PARTLY if each.ename == "NotRun" else "") for each in errors]
    return list(dict.fromkeys(notices))


def _failure(error: NotebookNode) -> str:
    return _words(error) if error.ename in OURS else "\n".join(error.traceback)


def _cells(notebook: NotebookNode, exercises: dict[str, Exercise]) -> Iterator[dict[str, Any]]:
    """Yield what the page shows of each cell; `role` is "answer", "check" or "".

    Headings begin below the page's own, and none is more than one level below the one before it,
    as screen readers count them.
    """
    level = 2

    def lowered(heading: re.Match[str]) -> str:
        nonlocal level
        level = min(int(heading[1]) + 2, level + 1, 6)
        return f"<h{level}>{heading[2]}</h{level}>"

    for cell in notebook.cells:
        is_code = cell.cell_type == "code"
        role = "answer" if is_solution(cell) else "check" if is_grade(cell) else ""
        yield {
            "role": role,
            "exercise": exercises.get(_exercise(cell)),
            "is_code": is_code,
            "html": code(cell.source)
            if is_code
            else Markup(HEADING.sub(lowered, sanitize.CLEANER.clean(cell.source))),
            "outputs": cell.outputs if is_code and role != "check" else [],
        }


def _alt(output: NotebookNode) -> str:
    """Return what the picture of an output shows, in words."""
    text = output.metadata.get("image/png", {}).get("alt") or output.data.get("text/plain", "")
    if not text or UNDRAWN.match(text):
        return "A figure of this notebook, without a description."
    return str(text)
