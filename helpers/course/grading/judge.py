"""Judges the answers of a notebook outside of its kernel: what is asked, and what is believed."""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import nbformat
import torch
from nbformat import NotebookNode, v4
from nbgrader.utils import is_grade

from helpers.checks.engine.run import Answers
from helpers.checks.engine.serialize import decode
from helpers.course.authoring import check_call
from helpers.course.authoring.check_call import Check
from helpers.course.sandbox import shell
from helpers.course.sandbox.session import error

__all__ = ["Check", "shown", "tests", "with_seeds"]


def tests(unit: str, instructor: NotebookNode) -> dict[str, Check]:
    """Return what the graded code cells of a unit ask, by their grade_id.

    Args:
        instructor: the notebook with hidden tests.

    Raises:
        CourseError: one of them is no check.
    """
    return {
        cell.metadata.nbgrader.grade_id: check_call.read(unit, cell.source)
        for cell in instructor.cells
        if is_grade(cell) and cell.cell_type == "code"
    }


def with_seeds(tests: Mapping[str, Check], secret: bytes, notebook: str) -> dict[str, Check]:
    """Return the tests of one notebook: its seeds are its own, and the same when graded again.

    Args:
        secret: of the folder that is graded into.
        notebook: a digest of what was handed in.
    """

    def seed(name: str) -> int:
        digest = hmac.digest(secret, f"{notebook} {name}".encode(), "sha256")
        return int.from_bytes(digest[:8]) | 1 << 63  # so that no other number is taken for it

    return {name: replace(test, seed=seed(name)) for name, test in tests.items()}


LONGEST = 300  # characters of a reason
# Drawing and judging set the seed of the process's random numbers: one at a time.
_judging = threading.Lock()


def shown(
    test: Check, run: Callable[[str], list[NotebookNode]], flags: list[str]
) -> list[NotebookNode]:
    """Return what a test cell shows, from which nbgrader reads its points.

    Args:
        run: runs code in the kernel and returns what it shows; it is not remembered.
        flags: what an instructor should look at is added here.
    """

    def denied(reason: str) -> list[NotebookNode]:
        flags.append(reason[:LONGEST])  # it may quote what a learner sent
        return [error("NoMarks", flags[-1])]

    arguments = [repr(test.module), repr(test.exercise), repr(test.seed), test.answer]
    outputs = run(f"__import__({shell.__name__!r}, fromlist=['']).ask({', '.join(arguments)})")
    data = [each.get("data", {}) for each in outputs]
    published = [each[shell.ANSWERS] for each in data if shell.ANSWERS in each]
    if errors := [each for each in outputs if each.output_type == "error"]:
        return errors[-1:]  # where the time was up, that comes behind what it interrupted
    if len(published) != 1:
        return denied("the questions of the check were not answered")
    exercise = test.load()
    with _judging, torch.random.fork_rng(devices=[]):
        cases = exercise.drawn(test.seed)
        numbers = {part: len(each) for part, each in cases.items()}
        try:
            answers = from_json(published[0], numbers)
        except ValueError as reason:
            return denied(f"the answers were made up: {reason}")
        report = exercise.grade(answers, test.seed, cases)
    result = v4.new_output("execute_result", data=report._repr_mimebundle_(), execution_count=1)
    return [nbformat.from_dict(result)]


def from_json(data: Any, asked: Mapping[str, int]) -> Answers:
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
