"""Executes one submission in a sandbox."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from nbformat import NotebookNode
from nbgrader.utils import is_locked

from helpers.course.grading.judge import Check, Judge
from helpers.course.intake.lesson import definitions, is_unchanged, to_run
from helpers.course.sandbox import pool
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
# What no exercise needs, and a person is to look at. What can be copied is what the helpers, other
# packages or the lesson have; and what a kernel measures of an answer can be made up.
_WORDS = re.compile(
    # speaks for the grader
    r"helpers\.course|checks\.engine(?!\.earlier)|vnd\.order-matters\S*|\b(?:display_pub|pub_socket)\b"
    # goes where calls cannot be followed
    r"|\b(?:setprofile|_getframe|currentframe|ctypes|FunctionType|CodeType)\b"
    r"|\b(?:_thread|threading|concurrent|greenlet|multiprocessing|to_thread|run_in_executor)\b"
    # takes the text or the code of others, or writes down what they do, or what they are made of
    r"|\btorch\.(?:jit|fx|export|compile|ops|_C)\b|\b(?:symbolic_trace|make_fx)\b"
    r"|\b(?:getsource\w*|get_objects|get_referrers|__code__|__closure__|__subclasses__)\b"
    r"|\bexec(?=\()"
)


@dataclass
class Outcome:
    """What came of a notebook.

    Args:
        outputs: by cell id.
        flags: what an instructor should look at. notes: what learner and instructor should know.
        seconds: that it took.
    """

    outputs: dict[str, list[NotebookNode]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


def execute(
    notebook: NotebookNode,
    tests: Mapping[str, Check],
    limits: Limits,
    isolated: bool = True,
    files: Mapping[str, bytes] | None = None,
) -> Outcome:
    """Run a repaired notebook; should the sandbox die of itself, it is done once more.

    Args:
        tests: what is graded in it, by grade_id.
        files: what was handed in beside it, by name.

    Raises:
        CourseError: it died again, so that nothing can be said about the notebook.
    """
    for again in (False, True):
        try:
            with pool.taken(limits, isolated, fresh=again) as sandbox:
                return _Execution(sandbox, notebook, tests, files or {}).outcome
        except SandboxDiedError as died:
            reason = str(died)
    raise CourseError(f"not graded: {reason}, twice; run again")


def strange(notebook: NotebookNode) -> list[str]:
    """Return words in the learner's own code that no exercise needs, each once; no mark changes."""
    cells = [c for c in notebook.cells if c.cell_type == "code" and not is_locked(c)]
    text = "\n".join(cell.source for cell in cells)
    return list(dict.fromkeys(each[:80] for each in _WORDS.findall(text)))


class _Execution:
    """One notebook on its way."""

    def __init__(
        self,
        sandbox: Sandbox,
        notebook: NotebookNode,
        tests: Mapping[str, Check],
        files: Mapping[str, bytes],
    ) -> None:
        self.sandbox, self.limits, self.tests, self.files = sandbox, sandbox.limits, tests, files
        self.outcome = Outcome()
        if words := strange(notebook):
            listed = ", ".join(words[:5])
            self.outcome.flags.append(f"words in its code that no exercise needs: {listed}")
        start = time.monotonic()
        self.end = start + self.limits.notebook_seconds
        self.stopped = ""  # why the rest is not run
        self.kernels = 1
        self.lesson: list[str] = []  # code of its cells that wait to be run
        self.number = 0  # of the cell that is run, from 1 on
        # Number, code and most seconds (0: a cell's) of each so far, to run them again.
        self.ran: list[tuple[int, str, float]] = []
        self.session = Session(sandbox, files)
        self.judge = Judge(partial(self._run, remembered=False), self.outcome.flags)
        try:
            for self.number, cell in enumerate(notebook.cells, 1):
                if cell.cell_type == "code":
                    self.outcome.outputs[cell.id] = self._cell(cell)
        finally:
            if not self.session.close():
                sandbox.close()
        self.outcome.seconds = time.monotonic() - start

    def _cell(self, cell: NotebookNode) -> list[NotebookNode]:
        """Return what a cell shows, or an error that says why it was not run."""
        self._is_late()
        reason = self.stopped
        # A cell before it may have ended the kernel a moment later; then this one runs again.
        for again in (False, True):
            if self.stopped:
                return [error("NotRun", f"not run: {reason}")]
            try:
                return self._executed(cell)
            except SandboxDiedError:
                raise
            except SandboxError as ended:
                reason = str(ended)
            if not self._restart(reason) or again:
                break
        if not self.stopped:
            self._leave_out(self.number, reason)
            self._survives(definitions(cell.source))
            self.ran.append((self.number, definitions(cell.source), 0))
        return [error("NotRun", reason)]

    def _is_late(self) -> bool:
        """Return whether the notebook's time is up; then the rest is not run."""
        late = time.monotonic() > self.end
        if late and not self.stopped:
            self._stop(f"the notebook took more than {self.limits.notebook_seconds:.0f} s")
        return late

    def _executed(self, cell: NotebookNode) -> list[NotebookNode]:
        """Run a cell, or ask what it tests; return what it shows."""
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in self.tests:
            self._run_lesson()
            shown = self.judge.shown(self.tests[grade_id])
            self._note_late(shown, f"{grade_id}: the check")
            return shown
        if is_unchanged(cell):
            self.lesson.append(to_run(cell))
            return []
        self._run_lesson()
        shown = self._run(cell.source)
        self.ran.append((self.number, cell.source, 0))
        self._note(shown)
        return shown

    def _run_lesson(self) -> None:
        """Run the lesson's cells since the last of the learner's; the page needs no output of them.

        A value of a cell that is left out may be missing, which is no error of the learner's.
        Without their imports no answer works, so they have more time than a learner's cell.
        """
        code = "\n".join(filter(None, self.lesson))
        self.lesson.clear()
        if code:
            most = self.limits.notebook_seconds
            self.ran.append((self.number, code, most))
            shown = self._run(code, most=most)
            self._note_late(shown, f"the lesson's cells before cell {self.number}")

    def _note(self, shown: list[NotebookNode]) -> None:
        """Note what is missing here and was not at the learner's."""
        for output in shown:
            if output.output_type == "error" and output.ename in MISSING:
                note = MISSING[output.ename].format(output.evalue[:NOTED])
                if note not in self.outcome.notes and len(self.outcome.notes) < NOTES:
                    self.outcome.notes.append(note)

    def _note_late(self, shown: list[NotebookNode], what: str) -> None:
        """Tell an instructor what was ended for its time alone: a slow machine may be the cause."""
        for output in shown:
            if output.output_type == "error" and output.ename == TIME_LIMIT:
                self.outcome.flags.append(f"{what}: {output.evalue}")

    def _restart(self, reason: str) -> bool:
        """Begin a new kernel with the cells so far; return whether one of them was left out.

        That is one which ends the kernel again. If there are too many, the rest is not run.
        """
        left_out = False
        while self.kernels < KERNELS and self.sandbox.process.poll() is None:
            if self._is_late():
                return False
            self.kernels += 1
            if not self.session.close():  # what it answers late would be taken for the next one's
                raise SandboxDiedError("the sandbox did not end a kernel")
            self.session = Session(self.sandbox, self.files)
            again = (n for n, (_, c, most) in enumerate(self.ran) if not self._survives(c, most))
            if (ending := next(again, None)) is None:
                return left_out and not self._is_late()
            number, code, _ = self.ran[ending]
            self.ran[ending] = number, definitions(code), 0
            self._leave_out(number, reason)
            left_out = True
        self._stop(reason)
        return False

    def _survives(self, code: str, most: float = 0) -> bool:
        """Run code that ran before, if there is time; return whether it did not end the kernel."""
        if self._is_late():
            return True
        try:
            shown = self._run(code, most=most)
            if most:
                self._note_late(shown, "the lesson's cells, run again")
            self._run("pass", remembered=False)
        except SandboxDiedError:
            raise
        except SandboxError:
            return False
        return True

    def _leave_out(self, number: int, reason: str) -> None:
        self.outcome.flags.append(f"cell {number}: {reason}; the other cells were run")

    def _stop(self, reason: str) -> None:
        self.stopped = reason
        self.outcome.flags.append(reason)

    def _run(self, code: str, remembered: bool = True, most: float = 0.0) -> list[NotebookNode]:
        """Run code; what is left of the notebook's time never goes to one cell alone.

        Args:
            most: seconds; those of a cell if 0.
        """
        left = (self.end - time.monotonic()) * SHARE
        seconds = min(most or self.limits.cell_seconds, left)
        return self.session.run(code, max(1.0, seconds), remembered)
