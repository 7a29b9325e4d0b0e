"""Executes one submission in a sandbox and judges its answers outside of it.

A worker on any machine can do a job: it holds all that is needed, and its outcome is all there is.
"""

from __future__ import annotations

import ast
import importlib
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from helpers.checks.compare import guarded
from helpers.checks.exercise import Exercise
from helpers.checks.report import Report
from helpers.course import made
from helpers.course.assertions import failing, strict
from helpers.course.kernel import ANSWERS, from_json
from helpers.course.sandbox import Limits, Sandbox, SandboxDiedError, SandboxError, begun
from helpers.course.session import Session, error
from helpers.course.settings import CourseError
from helpers.course.words import GRADERS, strange

LOOK = "__import__('helpers.course.kernel', fromlist=['look']).look()"
SWITCHED_OFF = "an assertion that must fail did not: checks were switched off"
SKIPPED = "training"  # tag of cells that train a model; nothing graded depends on them


@dataclass(frozen=True)
class Check:
    """A graded cell of the form `check.EXERCISE(ANSWER, seed=NUMBER)`."""

    module: str
    exercise: str
    answer: str
    seed: int

    def question(self) -> str:
        """What asks the answer, in the learner's kernel."""
        asked = f"{self.module!r}, {self.exercise!r}, {self.answer}, {self.seed}"
        return f"__import__('helpers.course.kernel', fromlist=['ask']).ask({asked})"

    def known(self) -> Exercise:
        """The exercise, with its reference."""
        found: Exercise = getattr(importlib.import_module(self.module), self.exercise)
        return found


@dataclass(frozen=True)
class Assertions:
    """A graded cell of any other form: its text with the hidden tests, and its points."""

    text: str
    points: float


def tests(unit: str, instructor: NotebookNode) -> dict[str, Check | Assertions]:
    """The graded cells of a unit by their grade_id, read from the notebook with hidden tests."""
    found: dict[str, Check | Assertions] = {}
    for cell in instructor.cells:
        told = cell.metadata.get("nbgrader", {})
        if told.get("grade") and cell.cell_type == "code":
            check = _check(unit, cell.source)
            found[told.grade_id] = check or Assertions(cell.source, told.points)
    return found


def _check(unit: str, text: str) -> Check | None:
    match ast.parse(text).body[-1]:
        case ast.Expr(
            ast.Call(
                ast.Attribute(ast.Name("check"), exercise),
                [answer],
                [ast.keyword("seed", ast.Constant(int(seed)))],
            )
        ):
            return Check(made.module_of(unit).__name__, exercise, ast.unparse(answer), seed)
    return None


@dataclass(frozen=True)
class Job:
    """A submission to execute: its repaired notebook, and what is graded in it."""

    notebook: NotebookNode
    tests: dict[str, Check | Assertions]
    limits: Limits
    isolated: bool = True


@dataclass
class Outcome:
    """What came of a job: outputs by cell id, what an instructor should look at, seconds.

    Where it is `held`, no point counts until a person has looked.
    """

    outputs: dict[str, list[NotebookNode]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    held: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    total: float = 0.0


def execute(job: Job) -> Outcome:
    """Do a job; should the sandbox die of anything but the learner's code, once more.

    Raises:
        CourseError: it died again, so that nothing can be said about the notebook.
    """
    for _ in range(2):
        try:
            return _Execution(job).outcome
        except SandboxDiedError as died:
            _close()
            reason = str(died)
    raise CourseError(f"not graded: {reason}, twice; run again")


# A worker keeps its sandbox from job to job: to load torch again would take longer than most jobs.
_of_thread = threading.local()
_all: list[Sandbox] = []


def _sandbox(limits: Limits, isolated: bool) -> Sandbox:
    """This thread's."""
    kept: Sandbox | None = getattr(_of_thread, "sandbox", None)
    if kept is not None and kept.process.poll() is not None:
        kept = None  # `close_all` has ended it
    if kept is None or (kept.limits, kept.isolated) != (limits, isolated):
        _close()
        kept = begun(limits, isolated)
        kept.wait()
        _of_thread.sandbox = kept
        _all.append(kept)
    return kept


def _close() -> None:
    kept = getattr(_of_thread, "sandbox", None)
    if kept is not None:
        kept.close()
        if kept in _all:
            _all.remove(kept)
        _of_thread.sandbox = None


def close_all() -> None:
    """End the sandboxes of every thread of this process."""
    while _all:
        _all.pop().close()


# A check sets the seed of the process's random numbers, so two cannot be judged at a time.
_judging = threading.Lock()


class _Execution:
    """One job on its way."""

    def __init__(self, job: Job) -> None:
        self.job, self.outcome = job, Outcome()
        self.strange = strange(job.notebook)
        if self.strange:
            told = ", ".join(self.strange[:5])
            self.outcome.flags.append(f"words in its code that no exercise needs: {told}")
            self.outcome.held = True
        start = time.monotonic()
        self.end = start + job.limits.notebook_seconds
        self.gone = ""  # why the rest is not run
        self.session = Session(_sandbox(job.limits, job.isolated))
        try:
            for cell in job.notebook.cells:
                if cell.cell_type == "code":
                    self.outcome.outputs[cell.id] = self._cell(cell)
        finally:
            if not self.session.close():
                _close()  # something of this learner may be left in it
        self.outcome.total = time.monotonic() - start

    def _cell(self, cell: NotebookNode) -> list[NotebookNode]:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        start = time.monotonic()
        if start > self.end and not self.gone:
            self._stop(f"the notebook took more than {self.job.limits.notebook_seconds:.0f} s")
        if self.gone:
            return [error("NotRun", f"not run: {self.gone}")]
        if SKIPPED in cell.metadata.get("tags", []):
            return []
        try:
            if grade_id not in self.job.tests:
                return self._run(cell.source)
            shown = self._tested(self.job.tests[grade_id])
            self.outcome.seconds[grade_id] = time.monotonic() - start
            return shown
        except SandboxDiedError:
            raise
        except SandboxError as reason:
            self._stop(str(reason))
            return [error("NotRun", str(reason))]

    def _stop(self, reason: str) -> None:
        self.gone = reason
        self.outcome.flags.append(reason)

    def _run(self, code: str, remembered: bool = True) -> list[NotebookNode]:
        left = max(1.0, self.end - time.monotonic())
        return self.session.run(code, min(self.job.limits.cell_seconds, left), remembered)

    def _tested(self, test: Check | Assertions) -> list[NotebookNode]:
        """What a test cell shows, and nbgrader reads its points from."""
        if any(word.startswith(GRADERS) for word in self.strange):
            return [self._denied("the notebook reaches into what grades it")]
        if isinstance(test, Assertions):
            return self._asked(LOOK)[1] or self._asserted(test)
        said, denied = self._asked(test.question())
        if denied:
            return denied
        exercise = test.known()
        with _judging:
            try:
                answers = from_json(said, exercise, test.seed)
            except ValueError as reason:
                return [self._denied(f"the answers were made up: {reason}")]
            return [_as_output(exercise.judge(answers, test.seed))]

    def _asked(self, question: str) -> tuple[dict[str, Any], list[NotebookNode]]:
        """What the kernel says to a question of `kernel`, or what the cell shows instead."""
        shown, errors, failed = self._failing(question)
        said = [output.data[ANSWERS] for output in shown if ANSWERS in output.get("data", {})]
        if errors and not failed:
            return {}, errors[:1]
        if said and not failed:
            return {}, [self._denied(SWITCHED_OFF)]
        if len(said) != 1 or not isinstance(said[0], dict):
            return {}, [self._denied("the questions of the check were not answered")]
        if replaced := said[0].get("replaced"):
            names = replaced[:3] if isinstance(replaced, list) else [replaced]
            told = ", ".join(map(str, names))[:200]
            return {}, [self._denied(f"the notebook replaced {told}, which checks rely on")]
        return said[0], []

    def _asserted(self, test: Assertions) -> list[NotebookNode]:
        """The outputs of assertions, without what would show the hidden ones or cost marks."""
        text = strict(test.text)
        shown = [each for each in self._run(text, False) if each.get("name") != "stderr"]
        errors = [each for each in shown if each.output_type == "error"]
        if not errors and not self._failing(text)[2]:
            return [self._denied(SWITCHED_OFF)]
        # nbgrader goes by the first of these: no result counts beside an error, nor two of them.
        results = [each for each in shown if each.output_type == "execute_result"]
        if len(results) > 1 or (errors and results):
            return errors[:1] or [self._denied("the test gave more than one result")]
        for output in shown:
            if output.output_type == "error":
                output.traceback = [f"{output.ename}: {output.evalue}"]
                if output.ename == "TypeError" and "cannot be compared" in output.evalue:
                    return [self._denied(output.evalue)]
            elif output.output_type == "execute_result":
                points = output.data.get("text/plain", "")
                try:
                    earned = guarded(float(points), test.points)
                except ValueError:
                    return [self._denied(f"the test gave {points[:100]!r} for a number of points")]
                output.data = nbformat.from_dict({"text/plain": str(earned)})
        return shown

    def _failing(self, text: str) -> tuple[list[NotebookNode], list[NotebookNode], bool]:
        """Run it with a canary at its end: all it shows, the errors, and whether the canary failed.

        Where tests have been made harmless, one turned round does not fail either.
        """
        nonce = secrets.token_hex(8)
        shown = self._run(failing(text, nonce), remembered=False)
        errors = [each for each in shown if each.output_type == "error"]
        return shown, errors, [(e.ename, e.evalue) for e in errors] == [("AssertionError", nonce)]

    def _denied(self, reason: str) -> NotebookNode:
        if reason not in self.outcome.flags:
            self.outcome.flags.append(reason)
        return error("NoMarks", reason)


def _as_output(report: Report) -> NotebookNode:
    data: dict[str, Any] = report._repr_mimebundle_()
    return nbformat.from_dict(v4.new_output("execute_result", data=data, execution_count=1))
