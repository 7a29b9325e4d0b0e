"""The page that a learner gets back: marks and what to do about them, then the notebook.

nbgrader's own GenerateFeedback writes it, by `exporter_class` in nbgrader_config.py: all there is
to say is in the autograded notebook and in the gradebook.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup
from nbconvert.exporters import Exporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.utils import is_grade, is_solution

from helpers.checks.engine.report import Finding, findings_in
from helpers.checks.engine.shown import told_once
from helpers.course.grading import lateness
from helpers.course.pages import rendering
from helpers.course.pages.harmless import written
from helpers.course.pages.page import page
from helpers.course.pages.rendering import PATIENCE

HEADING = re.compile(r"### (Exercise \d+: .+)")
LEVEL = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)


@dataclass
class Exercise:
    """One row of the summary.

    Args:
        name: the exercise's, in the source; the page's places are called by it.
        score, points: earned, and the most.
        findings: what the check said of each part; empty where there was none.
        message: what else there is to say of a check, as when the code stopped.
        waiting, by_hand: a person still has to read it, or has given the points.
        comment: that person's.
    """

    name: str
    title: str
    score: float = 0.0
    points: float = 0.0
    findings: list[Finding] = field(default_factory=list)
    message: str = ""
    waiting: bool = False
    by_hand: bool = False
    comment: str = ""

    @property
    def state(self) -> str:
        """In a word, which also chooses colour and mark."""
        if self.waiting:
            return "waiting"
        if self.score >= self.points:
            return "right"
        return "partly" if self.score > 0 else "wrong"

    @property
    def told(self) -> list[Finding]:
        """The findings, each message only where it is given first."""
        return told_once(self.findings)

    @property
    def hints(self) -> list[str]:
        """Each once, in the order of the parts."""
        return list(dict.fromkeys(f.hint for f in self.findings if f.hint))


@dataclass
class Cell:
    """A cell of the notebook; `role` is "answer", "check" or empty."""

    html: Markup
    is_code: bool
    role: str = ""
    exercise: Exercise | None = None
    outputs: list[rendering.Shown] = field(default_factory=list)


class Feedback(Exporter):
    """nbgrader's exporter for `GenerateFeedback`."""

    file_extension = ".html"

    def from_notebook_node(  # type: ignore[override]  # as nbconvert's own HTMLExporter, a text
        self, nb: NotebookNode, resources: Any = None, **_options: Any
    ) -> tuple[str, ResourcesDict]:
        """The page, for the student and assignment that `resources` name."""
        notebook, resources = super().from_notebook_node(nb, resources)
        of_whom = resources["nbgrader"]
        names = of_whom["notebook"], of_whom["assignment"], of_whom["student"]
        with Gradebook(of_whom["db_url"]) as book:
            submitted = book.find_submission_notebook(*names)
            exercises = _exercises(notebook, submitted)
            end = time.monotonic() + PATIENCE
            text = page(
                "feedback.html.j2",
                unit=of_whom["assignment"],
                student=of_whom["student"],
                score=submitted.score,
                max_score=submitted.max_score,
                late=submitted.late_submission_penalty or 0,
                late_by=lateness.words(lateness.seconds(submitted.assignment)),
                exercises=list(exercises.values()),
                notices=_notices(notebook),
                cells=_in_order([_cell(cell, exercises, end) for cell in notebook.cells]),
            )
        return text, resources


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _exercises(notebook: NotebookNode, submitted: Any) -> dict[str, Exercise]:
    """By name, in the order of the notebook; titles are read from the headings above."""
    grades = {grade.name: grade for grade in submitted.grades}
    comments = {comment.name: comment.comment for comment in submitted.comments}
    found: dict[str, Exercise] = {}
    title = ""
    for cell in notebook.cells:
        heading = HEADING.match(written(cell))
        title = heading[1] if heading and cell.cell_type == "markdown" else title
        name = _grade_id(cell).removesuffix("-test")
        if not name:
            continue
        if name not in found:
            found[name], title = Exercise(name, title or name), ""
        row = found[name]
        row.comment = comments.get(_grade_id(cell)) or row.comment
        if is_grade(cell) and (grade := grades.get(_grade_id(cell))):
            row.score += grade.score
            row.points += grade.max_score
            row.waiting |= bool(grade.needs_manual_grade)
            row.by_hand |= grade.manual_score is not None
        if is_grade(cell) and cell.cell_type == "code":
            row.findings += findings_in(cell.outputs)
            row.message = row.message or _failure(cell)
    return found


def _failure(cell: NotebookNode) -> str:
    """Why a check gave no points, in words; what a hidden test says of itself stays hidden."""
    for output in cell.outputs:
        if output.output_type == "error":
            return _in_words(output)
    return ""


def _in_words(error: NotebookNode) -> str:
    text = rendering.printed(error.get("evalue", ""))
    match error.get("ename"):
        case "NotRun":
            return f"This check could not be run: {text.removeprefix('not run: ')}."
        case "NoMarks":
            return f"No points: {text}."
        case "TimeLimit":
            return f"Stopped: {text}."
        case "AssertionError":
            return text or "A check failed."
        case "NotImplementedError":
            return "Not written yet."
        case name:
            return f"Your code stops with {name}{': ' if text else ''}{text}"


def _notices(notebook: NotebookNode) -> list[str]:
    """What went wrong as the notebook ran, each once."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                reason = rendering.printed(output.get("evalue", "")).removeprefix("not run: ")
                if output.ename == "NotRun":
                    found.append(
                        f"Your notebook did not run to its end: {reason}. What stands before that "
                        "has kept its points; what comes after could not be checked."
                    )
                elif output.ename == "TimeLimit":
                    found.append(f"A cell was stopped: {reason}.")
                elif output.ename == "NoMarks":
                    found.append(f"A check gave no points: {reason}.")
    return list(dict.fromkeys(found))


def _cell(cell: NotebookNode, exercises: dict[str, Exercise], end: float) -> Cell:
    """What the page shows of a cell; after `end`, a time, as it was written."""
    role = "answer" if is_solution(cell) else "check" if is_grade(cell) else ""
    exercise = exercises.get(_grade_id(cell).removesuffix("-test"))
    late = time.monotonic() > end
    if cell.cell_type != "code":
        html = (
            rendering.plain(written(cell))
            if late
            else rendering.markdown(written(cell), rendering.attached(cell))
        )
        return Cell(html, False, role, exercise)
    text = Markup.escape(cell.source) if late else rendering.code(cell.source)
    shown = Cell(text, True, role, exercise)
    if role != "check":  # a check's outcome is told in its own way
        shown.outputs = [each for output in cell.outputs if (each := rendering.shown(output))]
    return shown


def _in_order(cells: list[Cell]) -> list[Cell]:
    """No heading more than one level below the one before it, as screen readers count them."""
    level = 2  # the page's own, above the notebook

    def lifted(heading: re.Match[str]) -> str:
        nonlocal level
        level = min(int(heading[1]), level + 1)
        return f"<h{level}>{heading[2]}</h{level}>"

    for cell in cells:
        if not cell.is_code:
            cell.html = Markup(LEVEL.sub(lifted, cell.html))
    return cells
