"""Judges the answers of a notebook outside of its kernel: what is asked, and what is believed."""

from __future__ import annotations

import ast
import hmac
import importlib
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from helpers.checks import package
from helpers.checks.engine import Exercise, Report
from helpers.checks.engine.compare import guarded
from helpers.course.grading.assertions import failing, strict
from helpers.course.grading.words import GRADERS
from helpers.course.sandbox.kernel import ANSWERS, from_json
from helpers.course.sandbox.session import error

LOOK = "__import__('helpers.course.sandbox.kernel', fromlist=['look']).look()"
SWITCHED_OFF = "an assertion that must fail did not: checks were switched off"


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
        return f"__import__('helpers.course.sandbox.kernel', fromlist=['ask']).ask({asked})"

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


# A check sets the seed of the process's random numbers, so two cannot be judged at a time.
_judging = threading.Lock()


class Judge:
    """Judges one notebook's test cells.

    Args:
        run: runs code in the kernel and gives what it shows; with False it is not remembered.
        strange: words in the notebook that no exercise needs.
        flags: what an instructor should look at is added here.
    """

    def __init__(
        self, run: Callable[..., list[NotebookNode]], strange: list[str], flags: list[str]
    ) -> None:
        self.run, self.strange, self.flags = run, strange, flags

    def shown(self, test: Check | Assertions) -> list[NotebookNode]:
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
        shown = [each for each in self.run(text, False) if each.get("name") != "stderr"]
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
        shown = self.run(failing(text, nonce), remembered=False)
        errors = [each for each in shown if each.output_type == "error"]
        return shown, errors, [(e.ename, e.evalue) for e in errors] == [("AssertionError", nonce)]

    def _denied(self, reason: str) -> NotebookNode:
        if reason not in self.flags:
            self.flags.append(reason)
        return error("NoMarks", reason)


def _as_output(report: Report) -> NotebookNode:
    data: dict[str, Any] = report._repr_mimebundle_()
    return nbformat.from_dict(v4.new_output("execute_result", data=data, execution_count=1))
