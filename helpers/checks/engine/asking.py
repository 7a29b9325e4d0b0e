"""Asking an answer: what it prints, draws and switches stays with it."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from typing import Any

import torch

from helpers.checks.engine import compare
from helpers.checks.engine.case import Answer, Case
from helpers.checks.engine.plain import Raised, plain, raised

LATER = Raised("ResultChangedError", "")
SWITCHED = "SettingChangedError"


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """What an answer prints or warns about does not reach the page, nor its random numbers others.

    nbgrader gives 0 to a test cell that writes to stderr, a mere warning included.
    """
    quiet = io.StringIO()
    with (
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
    """What `answer` says to one question, as plain values, or `Raised`."""
    return _said(case, answer)[1]


def ask_all(cases: list[Case], answer: Answer) -> list[Any]:
    """What `answer` says to each question; `LATER` where a later one changed what it had said."""
    return [
        now if isinstance(now, Raised) or compare.same(plain(raw), now, 0) else LATER
        for raw, now in [_said(case, answer) for case in cases]
    ]


def _said(case: Case, answer: Answer) -> tuple[Any, Any]:
    """The result as it is and as plain values."""
    settings = torch.get_default_dtype(), torch.is_grad_enabled()
    # Not torch.manual_seed: where there is no GPU that writes a traceback for each kind of device.
    torch.default_generator.manual_seed(0)
    try:
        raw = case.ask(answer)
        said = plain(raw)
    except (Exception, SystemExit, GeneratorExit) as error:
        raw, said = None, raised(error)
    finally:
        switched = _put_back(*settings)
    return (None, Raised(SWITCHED, switched)) if switched else (raw, said)


def _put_back(dtype: torch.dtype, gradients: bool) -> str:
    """The setting that an answer has left changed for all others, now as it was."""
    switched = ""
    if torch.get_default_dtype() != dtype:
        torch.set_default_dtype(dtype)
        switched = "torch.set_default_dtype"
    if torch.is_grad_enabled() != gradients:
        torch.set_grad_enabled(gradients)
        switched = "torch.set_grad_enabled"
    return switched
