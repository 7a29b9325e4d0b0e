"""Runs the cases of an exercise on an answer: what it prints, draws and switches stays with it."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from helpers.checks.engine import compare
from helpers.checks.engine.case import Answer, Case
from helpers.checks.engine.errors import ResultChangedError, SettingChangedError
from helpers.checks.engine.library import Forbidden, library_calls
from helpers.checks.engine.serialize import CapturedException, capture, sanitize
from helpers.checks.engine.settings import default_settings, unswitched

Ask = Callable[[Answer], Any]
RESULT_MUTATED = CapturedException(ResultChangedError.kind, "")


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """What an answer prints or warns about does not reach the page, nor its random numbers others.

    Nor do the notebook's settings reach the answer, or the questions that are drawn for it.

    nbgrader gives 0 to a test cell that writes to stderr, a mere warning included.
    """
    quiet = io.StringIO()
    with (
        default_settings(),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(quiet),
        contextlib.redirect_stderr(quiet),
        torch.random.fork_rng(devices=[]),
    ):
        warnings.simplefilter("ignore")
        logging.disable()  # a handler may hold on to stderr
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)


def run_case(case: Case, answer: Answer) -> Any:
    """Return what `answer` says to one case, as it is compared, or `CapturedException`."""
    return read(case, execute(case.ask, answer)[1])


def read(case: Case, found: Any) -> Any:
    """Return what is compared of a result, which somebody may have made up."""
    try:
        return found if isinstance(found, CapturedException) else case.read(found)
    except Exception:
        return found


def run_all(asks: Sequence[Ask], answer: Answer) -> list[Any]:
    """Return what `answer` says to each question; `RESULT_MUTATED` where a later one changed it."""
    return unless_changed([execute(each, answer) for each in asks])


def unless_changed(results: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Return results as plain values; `RESULT_MUTATED` where one is no longer what it was."""
    return [now if _is_unchanged(raw, now) else RESULT_MUTATED for raw, now in results]


def _is_unchanged(raw: Any, now: Any) -> bool:
    return isinstance(now, CapturedException) or compare.same(sanitize(raw), now, 0)


def execute(question: Ask, answer: Answer) -> tuple[Any, Any]:
    """Return the result of one question as it is, and as plain values or `CapturedException`."""
    # Not torch.manual_seed: where there is no GPU that writes a traceback for each kind of device.
    torch.default_generator.manual_seed(0)
    with unswitched() as switched:
        try:
            raw = question(answer)
            found = sanitize(raw)
        except (Exception, SystemExit, GeneratorExit) as error:
            raw, found = None, capture(error)
    return (None, capture(SettingChangedError(switched[0]))) if switched else (raw, found)


@dataclass(frozen=True)
class Answers:
    """What an answer said.

    Args:
        name: the learner's name for it.
        found: for each part, a plain value or `CapturedException` per question.
        used: for each part, the library functions that it called, of those it may not.
    """

    name: str
    found: dict[str, list[Any]]
    used: dict[str, list[str]]


@dataclass(frozen=True)
class Questions:
    """The questions of an exercise by part, and what the answer may not call."""

    exercise: str
    parts: dict[str, list[Ask]]
    forbidden: Forbidden

    def ask(self, answer: Answer) -> Answers:
        """What `answer` says to all of them."""
        answers = Answers(getattr(answer, "__name__", self.exercise), {}, {})
        for part in self.parts:
            self.ask_part(part, answer, answers)
        return answers

    def ask_part(self, part: str, answer: Answer, answers: Answers) -> None:
        """Add what `answer` says to the questions of one part."""
        with silent():
            with library_calls(self.forbidden) as called:
                answers.found[part] = run_all(self.parts[part], answer)
            answers.used[part] = sorted(called)
