"""Judges the answers of a notebook outside of its kernel: what is asked, and what is believed."""

from __future__ import annotations

import ast
import hmac
import importlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import nbformat
import torch
from nbformat import NotebookNode, v4

from helpers.checks import package
from helpers.checks.engine import Exercise, Report
from helpers.checks.engine.compare import guarded
from helpers.course.sandbox import kernel
from helpers.course.sandbox.session import error


@dataclass(frozen=True)
class Check:
    """A graded cell of the form `check.EXERCISE(ANSWER, seed=NUMBER)`."""

    module: str
    exercise: str
    answer: str
    seed: int

    @property
    def name(self) -> str:
        """Of the exercise, with its package."""
        return f"{self.module}.{self.exercise}"

    def known(self) -> Exercise:
        """The exercise, with its reference."""
        found: Exercise = getattr(importlib.import_module(self.module), self.exercise)
        return found


@dataclass(frozen=True)
class Assertions:
    """A graded cell of any other form: its text with the hidden tests, and its points.

    This course has none. It is run beside the learner's code, as nbgrader does.
    """

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


def drawn(
    tests: dict[str, Check | Assertions], secret: bytes, notebook: str
) -> dict[str, Check | Assertions]:
    """The tests of one notebook: its seeds are nobody else's, and the same when it is graded again.

    Args:
        secret: of the folder that is graded into.
        notebook: a digest of what was handed in.
    """

    def seed(name: str) -> int:
        digest = hmac.digest(secret, f"{notebook} {name}".encode(), "sha256")
        return int.from_bytes(digest[:8]) | 1 << 63  # so that no other number is taken for it

    return {
        name: replace(test, seed=seed(name)) if isinstance(test, Check) else test
        for name, test in tests.items()
    }


def _check(unit: str, text: str) -> Check | None:
    match ast.parse(text).body[-1]:
        case ast.Expr(
            ast.Call(
                ast.Attribute(ast.Name("check"), exercise),
                [answer],
                [ast.keyword("seed", ast.Constant(int(seed)))],
            )
        ):
            return Check(package(unit), exercise, ast.unparse(answer), seed)
    return None


LONGEST = 300  # characters of a reason
# Drawing and judging set the seed of the process's random numbers: one at a time.
_judging = threading.Lock()


class Judge:
    """Judges one notebook's test cells.

    Args:
        run: runs code in the kernel and returns what it shows; it is not remembered.
        flags: what an instructor should look at is added here.
    """

    def __init__(self, run: Callable[[str], list[NotebookNode]], flags: list[str]) -> None:
        self.run, self.flags = run, flags

    def shown(self, test: Check | Assertions) -> list[NotebookNode]:
        """What a test cell shows, and nbgrader reads its points from."""
        if isinstance(test, Assertions):
            return self._asserted(test)
        arguments = [repr(test.module), repr(test.exercise), repr(test.seed), test.answer]
        shown = self.run(_call("ask", *arguments))
        if not any("data" in each or each.output_type == "error" for each in shown):
            # A connection that was cut, as on a machine with much else to do, has lost the answers.
            shown = self.run(_call("ask", *arguments))
        report, instead = self._judged(test, shown)
        return [instead or _as_output(report)]

    def _judged(self, test: Check, shown: list[NotebookNode]) -> tuple[Report, NotebookNode | None]:
        """The report on what the kernel said, or what the cell shows in its place."""
        none = Report(test.exercise, [])
        published = [each.get("data", {}) for each in shown]
        said = [data[kernel.ANSWERS] for data in published if kernel.ANSWERS in data]
        if errors := [each for each in shown if each.output_type == "error"]:
            return none, errors[-1]  # where the time was up, that comes behind what it interrupted
        if len(said) != 1:
            return none, self._denied("the questions of the check were not answered")
        exercise = test.known()
        with _judging, torch.random.fork_rng(devices=[]):
            drawn = exercise.drawn(test.seed)
            asked = {part: len(cases) for part, cases in drawn.items()}
            try:
                answers = kernel.from_json(said[0], asked)
            except ValueError as reason:
                return none, self._denied(f"the answers were made up: {reason}")
            return exercise.judge(answers, test.seed, drawn), None

    def _asserted(self, test: Assertions) -> list[NotebookNode]:
        """The outputs of assertions, without what would show the hidden ones or cost marks."""
        shown = [each for each in self.run(test.text) if each.get("name") != "stderr"]
        errors = [each for each in shown if each.output_type == "error"]
        # nbgrader goes by the first of these: no result counts beside an error, nor two of them.
        results = [each for each in shown if each.output_type == "execute_result"]
        if len(results) > 1 or (errors and results):
            return errors[:1] or [self._denied("the test gave more than one result")]
        for output in errors:
            output.traceback = [f"{output.ename}: {output.evalue}"]
        for output in results:
            points = output.data.get("text/plain", "")
            try:
                earned = guarded(float(points), test.points)
            except ValueError:
                return [self._denied(f"the test gave {points[:100]!r} for a number of points")]
            output.data = nbformat.from_dict({"text/plain": str(earned)})
        return shown

    def _denied(self, reason: str) -> NotebookNode:
        reason = reason[:LONGEST]  # it may quote what a learner sent
        if reason not in self.flags:
            self.flags.append(reason)
        return error("NoMarks", reason)


def exercises(tests: Mapping[str, Check | Assertions]) -> dict[str, Exercise]:
    """What these check, by the name of the cell with the answer."""
    checks = [test for test in tests.values() if isinstance(test, Check)]
    return {test.exercise: test.known() for test in checks}


def _call(function: str, *arguments: str) -> str:
    """Code that calls a function of `kernel`."""
    return f"__import__({kernel.__name__!r}, fromlist=['']).{function}({', '.join(arguments)})"


def _as_output(report: Report) -> NotebookNode:
    data: dict[str, Any] = report._repr_mimebundle_()
    return nbformat.from_dict(v4.new_output("execute_result", data=data, execution_count=1))
