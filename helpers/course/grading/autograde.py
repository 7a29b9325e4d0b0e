"""What a worker does with one submission: from the file that was handed in to the learner's page.

The gradebook of a class has one writer, so that process does as little as it can for each notebook.
The arguments hold all that is needed, so workers on any machine can do it.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import LimitOutput
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution

from helpers.checks.engine.report import findings_in
from helpers.course import intake
from helpers.course.grading import execute
from helpers.course.grading.execute import Outcome
from helpers.course.grading.judge import Check
from helpers.course.pages import feedback
from helpers.course.pages.feedback import Grade, Mark
from helpers.course.pages.sanitize import sanitize
from helpers.course.sandbox.process import Limits
from helpers.course.settings import table_text

# A text cell by which a learner asks a person to look at a mark again.
REGRADE = re.compile(r"[#*\s]*regrade(?: request)?[*\s]*:[*\s]*(.+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class UnitBundle:
    """What a worker must know of a unit; `checks` have the seeds of the notebook at hand."""

    unit: str
    release: NotebookNode
    checks: dict[str, Check]

    @cached_property
    def digest(self) -> str:
        """A digest of all that decides about marks."""
        return hashlib.sha256(repr((self.release.cells, self.checks)).encode()).hexdigest()


@dataclass
class Result:
    """What a worker made of a submission.

    Args:
        mark: as nbgrader's autograder gives it, and as the page tells it.
        files: contents by the folder of nbgrader's that they belong in.
        answers: digests by cell. hints: by exercise.
        repairs: what learner and instructor should know of it. seconds: that it took.
    """

    mark: Mark
    files: dict[str, bytes]
    answers: dict[str, str]
    hints: dict[str, list[str]]
    repairs: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    seconds: float = 0.0


def autograde(
    bundle: UnitBundle,
    student: str,
    content: bytes,
    files: Mapping[str, bytes],
    limits: Limits,
    isolated: bool,
    notes: Sequence[str] = (),
) -> Result:
    """Repair, execute and mark a notebook as it was handed in.

    Args:
        files: what was handed in beside it, by name.
        notes: what was unusual about how it came.

    Raises:
        CourseError: nothing can be said about the notebook; the text says why.
    """
    notebook, repairs = intake.repaired(content, bundle.release)
    outcome = execute.execute(notebook, bundle.checks, limits, isolated, files)
    return result(bundle.unit, student, notebook, outcome, repairs, notes)


def result(
    unit: str,
    student: str,
    notebook: NotebookNode,
    outcome: Outcome,
    repairs: list[str],
    notes: Sequence[str] = (),
) -> Result:
    """Mark a repaired notebook that was executed, and write its page."""
    executed = copy.deepcopy(notebook)
    for cell in executed.cells:
        if cell.cell_type == "code":
            cell.outputs = outcome.outputs.get(cell.id, [])
    executed, _ = LimitOutput().preprocess(executed, {})
    mark = Mark(unit, student, _grades(executed))
    autograded, _ = sanitize(executed, {})
    told = [*notes, *map(table_text, repairs + outcome.notes)]
    autograded.metadata[feedback.NOTES] = told
    nbformat.validate(autograded)
    both = {"submitted": notebook, "autograded": autograded}
    made = Result(
        mark,
        {name: nbformat.v4.writes(each).encode() for name, each in both.items()},
        _answers(executed),
        _hints(autograded),
        told,
        [table_text(each) for each in [*outcome.flags, *_requests(notebook)]],
        outcome.seconds,
    )
    with suppress(Exception):  # the marks are known all the same; the gradebook says what is wrong
        made.files["feedback"] = feedback.render(autograded, mark).encode("utf-8", "replace")
    return made


def _requests(notebook: NotebookNode) -> Iterator[str]:
    """Yield what a learner writes in cells that ask for a regrade."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (found := REGRADE.match(cell.source)):
            yield f"asks for a regrade: {found[1]}"


def _hints(notebook: NotebookNode) -> dict[str, list[str]]:
    """Return the hints of the checks of an autograded notebook, by exercise."""
    return {
        cell.metadata.nbgrader.grade_id.removesuffix("-test"): [
            each.hint for each in findings_in(cell.outputs) if each.hint
        ]
        for cell in notebook.cells
        if is_grade(cell) and cell.cell_type == "code"
    }


def _grades(notebook: NotebookNode) -> dict[str, Grade]:
    """Return what nbgrader's autograder gives for each cell, and its comments, by grade_id."""
    found = {}
    for cell in notebook.cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        unanswered = is_solution(cell) and nbgrader.get("checksum") == compute_checksum(cell)
        comment = "No response." if unanswered else ""  # as nbgrader's SaveAutoGrades says it
        if is_grade(cell):
            score, most = determine_grade(cell)
            waits = score is None
            found[nbgrader.grade_id] = Grade(
                score or 0.0, most, needs_manual=waits, comment=comment
            )
        elif comment:
            found[nbgrader.grade_id] = Grade(comment=comment)
    return found


def _answers(notebook: NotebookNode) -> dict[str, str]:
    """Return a digest of what is written in each cell for an answer, by its name."""
    return {
        cell.metadata.nbgrader.grade_id: hashlib.sha256(cell.source.strip().encode()).hexdigest()
        for cell in notebook.cells
        if is_solution(cell)
    }
