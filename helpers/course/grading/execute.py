"""Executes one submission in a sandbox, judges its answers outside of it, and begins its result."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from nbformat import NotebookNode, from_dict, v4

from helpers.checks.engine.run import Answers
from helpers.checks.engine.serialize import decode
from helpers.course.authoring.check_call import Check
from helpers.course.intake.lesson import UNCHANGED, definitions, to_run
from helpers.course.pages.feedback import Grade
from helpers.course.sandbox import pool, shell
from helpers.course.sandbox.process import Limits, Sandbox, SandboxDiedError, SandboxError
from helpers.course.sandbox.session import TIME_LIMIT, Session, error
from helpers.course.settings import CourseError

# Errors of a cell that come of where it is run, by their names.
MISSING = {
    "ModuleNotFoundError": "{} where the class is graded: an answer must do without it",
    "StdinNotImplementedError": "nobody answers input() where the class is graded: delete the call",
}
NOTES, NOTED = 10, 100  # notes of a notebook, characters of what one quotes
KERNELS = 6  # that one notebook may have, as each one's cells are run again in the next
SHARE = 0.25  # of the time that is left, for one cell: so slow cells leave some to the answers
LONGEST = 300  # characters of a reason for which there are no marks
# Drawing and judging set the seed of the process's random numbers: one at a time.
_judging = threading.Lock()


@dataclass
class Result:
    """What comes of a submission; `execute` begins it, `autograde` completes it.

    Args:
        flags: what an instructor should look at. notes: what learner and instructor should know.
        seconds: that it took.
        grades: by cell, as nbgrader's autograder gives them. hints: by exercise.
        answers: digests by cell. files: contents by the folder of nbgrader's that they belong in.
    """

    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    grades: dict[str, Grade] = field(default_factory=dict)
    hints: dict[str, list[str]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)


def execute(
    notebook: NotebookNode,
    tests: Mapping[str, Check],
    limits: Limits,
    isolated: bool = True,
    files: Mapping[str, bytes] | None = None,
) -> Result:
    """Run a repaired notebook, whose cells then have outputs.

    Should the sandbox die of itself, it is done once more.

    Args:
        tests: what is graded in it, by grade_id.
        files: what was handed in beside it, by name.

    Raises:
        CourseError: it died again, so that nothing can be said about the notebook.
    """
    for again in (False, True):
        try:
            with pool.taken(limits, isolated, fresh=again) as sandbox:
                return _Execution(sandbox, notebook, tests, files or {}).result
        except SandboxDiedError as died:
            reason = str(died)
    raise CourseError(f"{reason}, twice; run again")


class _Execution:
    """One notebook on its way; where a cell ends the kernel, all are run again in a new one.

    A cell that ends two kernels is left out from then on, but for what it defines; the lesson's
    cells before one of the learner's, which are run together, are taken as one.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        notebook: NotebookNode,
        tests: Mapping[str, Check],
        files: Mapping[str, bytes],
    ) -> None:
        self.sandbox, self.limits, self.tests, self.files = sandbox, sandbox.limits, tests, files
        self.cells = [*enumerate(notebook.cells, 1)]
        self.result = Result()
        self.flags = self.result.flags  # what is found in each of its kernels
        self.were_run: set[int] = set()  # numbers of cells
        self.running = 0  # number of the cell, or -number while the lesson's before it are run
        self.ended: list[int] = []  # what was running when a kernel ended
        self.left_out: dict[int, str] = {}  # why, by number
        start = time.monotonic()
        self.end = start + self.limits.notebook_seconds
        reason = self._run_all()
        if reason:
            self.flags.append(reason)
        for number, cell in self.cells:
            if cell.cell_type == "code" and number not in self.were_run:
                cell.outputs = [error("NotRun", f"not run: {reason}")]
        self.result.flags = list(dict.fromkeys(self.flags))
        self.result.seconds = time.monotonic() - start

    def _run_all(self) -> str:
        """Run all cells; return why some are not run, or nothing."""
        reason = ""
        for _ in range(KERNELS):
            self.session = Session(self.sandbox, self.files)
            reason = self._run_in_kernel()
            has_ended = self.session.close()
            if not reason or time.monotonic() > self.end or self.sandbox.process.poll() is not None:
                break
            if not has_ended:
                raise SandboxDiedError("the sandbox did not end a kernel")
        return reason

    def _run_in_kernel(self) -> str:
        lesson: list[str] = []  # code of its cells that waits to be run
        for number, cell in self.cells:
            if cell.cell_type != "code":
                continue
            if time.monotonic() > self.end:
                return f"the notebook took more than {self.limits.notebook_seconds:.0f} s"
            self.were_run.add(number)
            try:
                cell.outputs = self._cell(number, cell, lesson)
            except SandboxDiedError:
                raise
            except SandboxError as ended:
                reason = str(ended)
                cell.outputs = [error("NotRun", reason)]
                if self.running in self.ended:
                    self.left_out[self.running] = reason
                    before = "the lesson's cells before " * (self.running < 0)
                    self.flags.append(f"{before}cell {number}: {reason}; the other cells were run")
                self.ended.append(self.running)
                return reason
        return ""

    def _cell(self, number: int, cell: NotebookNode, lesson: list[str]) -> list[NotebookNode]:
        """Run a cell, or ask what it tests; return what it shows.

        The lesson's cells wait until one of the learner's comes, since the page needs no output of
        them. Without their imports no answer works, so they have more time than a learner's cell.
        """
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if cell.metadata.get(UNCHANGED) and grade_id not in self.tests:
            lesson.append(to_run(cell))
            return []
        self.running = -number
        if self.running in self.left_out:
            lesson[:] = map(definitions, lesson)
        code = "\n".join(filter(None, lesson))
        lesson.clear()
        if code:
            shown = self._run(code, most=self.limits.notebook_seconds)
            self._flag_late(shown, f"the lesson's cells before cell {number}")
        self.running = number
        if number in self.left_out:
            self._run(definitions(cell.source))
            return [error("NotRun", self.left_out[number])]
        if grade_id in self.tests:
            shown = self._judged(self.tests[grade_id])
            self._flag_late(shown, f"{grade_id}: the check")
        else:
            shown = self._run(cell.source)
            self._note(shown)
        if self.ended:  # it may end the kernel a moment later
            self._run("pass", remembered=False)
        return shown

    def _judged(self, test: Check) -> list[NotebookNode]:
        """Ask what a check asks; return what it shows, from which nbgrader reads its points."""
        arguments = [repr(test.module), repr(test.exercise), repr(test.seed), test.answer]
        ask = f"__import__({shell.__name__!r}, fromlist=['']).ask({', '.join(arguments)})"
        outputs = self._run(ask, remembered=False)
        data = [each.get("data", {}) for each in outputs]
        published = [each[shell.ANSWERS] for each in data if shell.ANSWERS in each]
        if errors := [each for each in outputs if each.output_type == "error"]:
            return errors[-1:]  # where the time was up, that comes behind what it interrupted
        if len(published) != 1:
            return self._denied("the questions of the check were not answered")
        exercise = test.load()
        with _judging, torch.random.fork_rng(devices=[]):
            cases = exercise.drawn(test.seed)
            numbers = {part: len(each) for part, each in cases.items()}
            try:
                answers = _answers(published[0], numbers)
            except ValueError as reason:
                return self._denied(f"the answers were made up: {reason}")
            report = exercise.grade(answers, test.seed, cases)
        result = v4.new_output("execute_result", data=report._repr_mimebundle_(), execution_count=1)
        return [from_dict(result)]

    def _denied(self, reason: str) -> list[NotebookNode]:
        self.flags.append(reason[:LONGEST])  # it may quote what a learner sent
        return [error("NoMarks", self.flags[-1])]

    def _note(self, shown: list[NotebookNode]) -> None:
        """Note what is missing here and was not at the learner's."""
        for output in shown:
            if output.output_type == "error" and output.ename in MISSING:
                note = MISSING[output.ename].format(output.evalue[:NOTED])
                if note not in self.result.notes and len(self.result.notes) < NOTES:
                    self.result.notes.append(note)

    def _flag_late(self, shown: list[NotebookNode], what: str) -> None:
        """Tell an instructor what was ended for its time alone: a slow machine may be the cause."""
        for output in shown:
            if output.output_type == "error" and output.ename == TIME_LIMIT:
                self.flags.append(f"{what}: {output.evalue}")

    def _run(self, code: str, remembered: bool = True, most: float = 0.0) -> list[NotebookNode]:
        """Run code; what is left of the notebook's time never goes to one cell alone.

        Args:
            most: seconds; those of a cell if 0.
        """
        left = (self.end - time.monotonic()) * SHARE
        seconds = min(most or self.limits.cell_seconds, left)
        return self.session.run(code, max(1.0, seconds), remembered)


def _answers(data: Any, asked: Mapping[str, int]) -> Answers:
    """Return the answers in `data`, which a learner may have made up.

    Args:
        asked: how many questions, by part.

    Raises:
        ValueError: they are not answers to so many questions.
    """
    try:
        found = {part: [decode(each) for each in values] for part, values in data["found"].items()}
        used = {part: [str(each)[: shell.LONGEST] for each in data["used"][part]] for part in found}
        name = str(data["name"])[: shell.LONGEST]
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not the form of an answer: {error}") from error
    if {part: len(values) for part, values in found.items()} != asked:
        raise ValueError("not an answer to each question")
    return Answers(name, found, used)
