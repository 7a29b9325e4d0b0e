"""Asking an answer: what it prints, draws and switches stays with it."""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from helpers.checks.engine import compare
from helpers.checks.engine.case import Answer, Case
from helpers.checks.engine.errors import ResultChangedError, SettingChangedError
from helpers.checks.engine.plain import Raised, plain, raised
from helpers.checks.engine.settings import default_settings, unswitched

Ask = Callable[[Answer], Any]
LATER = Raised(ResultChangedError.kind, "")
OWN = "a dictionary of your own"


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


def ask(case: Case, answer: Answer) -> Any:
    """Return what `answer` says to one question, as it is compared, or `Raised`."""
    return read(case, execute(case.ask, answer)[1])


def read(case: Case, found: Any) -> Any:
    """Return what is compared of a result, which somebody may have made up."""
    try:
        return found if isinstance(found, Raised) else case.read(found)
    except Exception:
        return found


def ask_all(asks: Sequence[Ask], answer: Answer) -> list[Any]:
    """Return what `answer` says to each question; `LATER` where a later one changed it."""
    return unless_changed([execute(each, answer) for each in asks])


def unless_changed(results: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Return results as plain values; `LATER` where one is no longer what it was."""
    return [
        now if isinstance(now, Raised) or compare.same(plain(raw), now, 0) else LATER
        for raw, now in results
    ]


def execute(question: Ask, answer: Answer) -> tuple[Any, Any]:
    """Return the result of one question as it is, and as plain values or `Raised`."""
    # Not torch.manual_seed: where there is no GPU that writes a traceback for each kind of device.
    torch.default_generator.manual_seed(0)
    returned: list[Any] = []
    with unswitched() as switched:
        try:
            raw = question(_noting(answer, returned))
            # Else a dictionary could be taken for what a question finds out about a result.
            if type(raw) is dict and any(raw is each for each in returned):
                raw = {OWN: raw}
            found = plain(raw)
        except (Exception, SystemExit, GeneratorExit) as error:
            raw, found = None, raised(error)
    return (None, raised(SettingChangedError(switched[0]))) if switched else (raw, found)


def _noting(answer: Answer, returned: list[Any]) -> Answer:
    """The same answer; the dictionaries that it returns are noted. A class is asked as it is."""
    if isinstance(answer, type) or not callable(answer):
        return answer

    @functools.wraps(answer)
    def noted(*arguments: Any, **options: Any) -> Any:
        result = answer(*arguments, **options)
        if type(result) is dict:
            returned.append(result)
        return result

    return noted
