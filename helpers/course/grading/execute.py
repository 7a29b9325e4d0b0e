"""Executes one submission in a sandbox.

A worker on any machine can do a job: it holds all that is needed, and its outcome is all there is.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial

from nbformat import NotebookNode

from helpers.course.grading import words
from helpers.course.grading.judge import Assertions, Check, Judge, exercises
from helpers.course.grading.withheld import Withheld
from helpers.course.intake.needed import LESSON, SKIPPED, code
from helpers.course.sandbox import pool
from helpers.course.sandbox.process import Limits, Sandbox, SandboxDiedError, SandboxError
from helpers.course.sandbox.session import Session, error
from helpers.course.settings import CourseError


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

    `limited` says who held the limits of memory and processes.
    """

    outputs: dict[str, list[NotebookNode]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    total: float = 0.0
    limited: str = ""


def execute(job: Job) -> Outcome:
    """Do a job; should the sandbox die of anything but the learner's code, once more.

    Raises:
        CourseError: it died again, so that nothing can be said about the notebook.
    """
    for again in (False, True):
        try:
            with pool.taken(job.limits, job.isolated, fresh=again) as sandbox:
                return _Execution(job, sandbox).outcome
        except SandboxDiedError as died:
            reason = str(died)
    raise CourseError(f"not graded: {reason}, twice; run again")


class _Execution:
    """One job on its way."""

    def __init__(self, job: Job, sandbox: Sandbox) -> None:
        self.job, self.outcome = job, Outcome(limited=sandbox.limited)
        if strange := words.strange(job.notebook):
            told = ", ".join(strange[:5])
            self.outcome.flags.append(f"words in its code that no exercise needs: {told}")
        asked = exercises(job.tests)
        self.outcome.flags += words.named(job.notebook, asked)
        start = time.monotonic()
        self.end = start + job.limits.notebook_seconds
        self.gone = ""  # why the rest is not run
        missing = Withheld(asked)
        self.session = Session(sandbox, missing.names)
        self.judge = Judge(partial(self._run, remembered=False), missing, self.outcome.flags)
        try:
            for cell in job.notebook.cells:
                if cell.cell_type == "code":
                    self.outcome.outputs[cell.id] = self._cell(cell)
        finally:
            if not self.session.close():
                sandbox.close()  # something of this learner may be left in it
        self.outcome.total = time.monotonic() - start

    def _cell(self, cell: NotebookNode) -> list[NotebookNode]:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        start = time.monotonic()
        if start > self.end and not self.gone:
            self._stop(f"the notebook took more than {self.job.limits.notebook_seconds:.0f} s")
        if self.gone:
            return [error("NotRun", f"not run: {self.gone}")]
        tags = cell.metadata.get("tags", [])
        if SKIPPED in tags:
            return []
        try:
            if grade_id not in self.job.tests:
                shown = self._run(code(cell))
                # What is withheld, or was not run, may be missing: that is no learner's error.
                return [o for o in shown if LESSON not in tags or o.output_type != "error"]
            shown = self.judge.shown(self.job.tests[grade_id])
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

    def _run(self, code: str, remembered: bool = True, sent: bytes = b"") -> list[NotebookNode]:
        left = max(1.0, self.end - time.monotonic())
        return self.session.run(code, min(self.job.limits.cell_seconds, left), remembered, sent)
