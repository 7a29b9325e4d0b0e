"""What a worker does with one submission: from the file that was handed in to the learner's page.

The gradebook of a class has one writer, so that process does as little as it can for each notebook.
The arguments hold all that is needed, so workers on any machine can do it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import LimitOutput
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_locked, is_solution

from helpers.checks.engine.report import findings_in
from helpers.course import intake
from helpers.course.authoring.check_call import Check
from helpers.course.grading import execute
from helpers.course.grading.execute import Result
from helpers.course.intake import Submission
from helpers.course.pages import feedback
from helpers.course.pages.feedback import Grade, Mark
from helpers.course.pages.sanitize import sanitize
from helpers.course.sandbox.process import Limits
from helpers.course.settings import table_text

# A text cell by which a learner asks a person to look at a mark again.
REGRADE = re.compile(r"[#*\s]*regrade(?: request)?[*\s]*:[*\s]*(.+)", re.IGNORECASE | re.DOTALL)
# What no exercise needs, and a person is to look at. What can be copied is what the helpers, other
# packages or the lesson have; and what a kernel measures of an answer can be made up.
_WORDS = re.compile(
    # speaks for the grader
    r"helpers\.course|checks\.engine|vnd\.order-matters\S*|\b(?:display_pub|pub_socket)\b"
    # goes where calls cannot be followed
    r"|\b(?:setprofile|_getframe|currentframe|ctypes|FunctionType|CodeType)\b"
    r"|\b(?:_thread|threading|concurrent|greenlet|multiprocessing|to_thread|run_in_executor)\b"
    # takes the text or the code of others, or writes down what they do, or what they are made of
    r"|\btorch\.(?:jit|fx|export|compile|ops|_C)\b|\b(?:symbolic_trace|make_fx)\b"
    r"|\b(?:getsource\w*|get_objects|get_referrers|__code__|__closure__|__subclasses__)\b"
    r"|\bexec(?=\()"
)


def autograde_all(tries: Sequence[tuple[Any, ...]]) -> list[Result]:
    """Return what `autograde` makes of each of one learner's tries; they are its arguments."""
    return [autograde(*each) for each in tries]


def autograde(
    found: Submission,
    release: NotebookNode,
    checks: Mapping[str, Check],
    content: bytes,
    files: Mapping[str, bytes],
    limits: Limits,
    isolated: bool,
) -> Result:
    """Repair, execute and mark a notebook as it was handed in.

    Args:
        release: of its unit. checks: of that, with the seeds of this notebook, by grade_id.
        content: of the file. files: contents of what was handed in beside it, by name.

    Raises:
        CourseError: nothing can be said about the notebook; the text says why.
    """
    notebook, repairs = intake.repaired(content, release)
    submitted = nbformat.v4.writes(notebook).encode()
    words = strange(notebook)
    flags = [f"words in its code that no exercise needs: {', '.join(words[:5])}"] * bool(words)
    made = execute.execute(notebook, checks, limits, isolated, files)
    made.files["submitted"] = submitted
    made.notes = [*found.notes, *map(table_text, repairs + made.notes)]
    made.flags = [*map(table_text, flags + made.flags)]
    complete(made, Mark(found.unit, found.student, made.grades), notebook)
    return made


def strange(notebook: NotebookNode) -> list[str]:
    """Return words in the learner's own code that no exercise needs, each once; no mark changes."""
    cells = [c for c in notebook.cells if c.cell_type == "code" and not is_locked(c)]
    text = "\n".join(cell.source for cell in cells)
    return list(dict.fromkeys(each[:80] for each in _WORDS.findall(text)))


def complete(made: Result, mark: Mark, notebook: NotebookNode) -> None:
    """Mark a repaired notebook that was executed, and write its page."""
    executed, _ = LimitOutput().preprocess(notebook, {})
    autograded, _ = sanitize(executed, {})
    autograded.metadata[feedback.NOTES] = made.notes
    nbformat.validate(autograded)
    made.files["autograded"] = nbformat.v4.writes(autograded).encode()
    for cell in executed.cells:
        _mark(cell, made)
    with suppress(Exception):  # the marks are known all the same; the gradebook says what is wrong
        made.files["feedback"] = feedback.render(autograded, mark).encode()


def _mark(cell: NotebookNode, made: Result) -> None:
    """Add what nbgrader's autograder gives for a cell, and what else a result says of it."""
    if cell.cell_type == "markdown" and (asked := REGRADE.match(cell.source)):
        made.flags.append(table_text(f"asks for a regrade: {asked[1]}"))
    nbgrader, grade = cell.metadata.get("nbgrader", {}), Grade()
    if is_grade(cell):
        score, most = determine_grade(cell)
        grade = Grade(score or 0.0, most, needs_manual=score is None)
    if is_solution(cell):
        made.answers[nbgrader.grade_id] = sha256(cell.source.strip().encode()).hexdigest()
        if nbgrader.get("checksum") == compute_checksum(cell):
            grade = replace(grade, comment="No response.")  # as nbgrader's SaveAutoGrades says it
    if grade != Grade():
        made.grades[nbgrader.grade_id] = grade
    if is_grade(cell) and cell.cell_type == "code":
        hints = [each.hint for each in findings_in(cell.outputs) if each.hint]
        made.hints[nbgrader.grade_id.removesuffix("-test")] = hints
