"""Executes one submission in a sandbox.

A worker on any machine can do a job: it holds all that is needed, and its outcome is all there is.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbformat import NotebookNode

from helpers.course.authoring.source import TRAINING
from helpers.course.grading.judge import Assertions, Check, Judge
from helpers.course.grading.words import strange
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
            with pool.taken(job.limits, job.isolated) as sandbox:
                return _Execution(job, sandbox).outcome
        except SandboxDiedError as died:
            reason = str(died)
    raise CourseError(f"not graded: {reason}, twice; run again")


class _Execution:
    """One job on its way."""

    def __init__(self, job: Job, sandbox: Sandbox) -> None:
        self.job, self.outcome = job, Outcome()
        self.strange = strange(job.notebook)
        if self.strange:
            told = ", ".join(self.strange[:5])
            self.outcome.flags.append(f"words in its code that no exercise needs: {told}")
            self.outcome.held = True
        start = time.monotonic()
        self.end = start + job.limits.notebook_seconds
        self.gone = ""  # why the rest is not run
        self.session = Session(sandbox)
        self.judge = Judge(self._run, self.strange, self.outcome.flags)
        try:
            for cell in job.notebook.cells:
                if cell.cell_type == "code":
                    self.outcome.outputs[cell.id] = self._cell(cell)
        finally:
            if not self.session.close():
                sandbox.close()  # something of this learner may be left in it
        seeds = [test.seed for test in job.tests.values() if isinstance(test, Check)]
        self.outcome.outputs = _without(seeds, self.outcome.outputs)
        self.outcome.total = time.monotonic() - start

    def _cell(self, cell: NotebookNode) -> list[NotebookNode]:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        start = time.monotonic()
        if start > self.end and not self.gone:
            self._stop(f"the notebook took more than {self.job.limits.notebook_seconds:.0f} s")
        if self.gone:
            return [error("NotRun", f"not run: {self.gone}")]
        if TRAINING in cell.metadata.get("tags", []):
            return []
        try:
            if grade_id not in self.job.tests:
                return self._run(cell.source)
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

    def _run(self, code: str, remembered: bool = True) -> list[NotebookNode]:
        left = max(1.0, self.end - time.monotonic())
        return self.session.run(code, min(self.job.limits.cell_seconds, left), remembered)


def _without(seeds: list[int], outputs: dict[str, list[NotebookNode]]) -> Any:
    """The outputs, in which a 0 stands for the seed of a test that the kernel has shown."""
    text = json.dumps(outputs)
    if not any(str(seed) in text for seed in seeds):
        return outputs
    for seed in seeds:
        text = text.replace(str(seed), "0")
    return nbformat.from_dict(json.loads(text))
