"""Asks an answer: what it prints, draws and switches stays with it, and no setting decides a mark.

What a notebook sets for the whole process comes back afterwards.
"""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch

from helpers.checks.engine import compare
from helpers.checks.engine.case import Answer, Case
from helpers.checks.engine.library import Forbidden, library_calls
from helpers.checks.engine.serialize import (
    RESULT_MUTATED,
    SETTING,
    CapturedException,
    CheckError,
    capture,
    sanitize,
)


class Setting(NamedTuple):
    """A setting of the whole process: how to read and write it, and its value at the start."""

    get: Callable[[], Any]
    set: Callable[[Any], Any]
    default: Any

    def read(self) -> Any:
        """Return its value; `UNREADABLE` where PyTorch refuses to say."""
        try:
            return self.get()
        except (AssertionError, RuntimeError):
            return UNREADABLE

    def write(self, value: Any) -> None:
        """Set it, unless it has this value, or PyTorch refuses."""
        if value != UNREADABLE and self.read() != value:
            with contextlib.suppress(AssertionError, RuntimeError):
                self.set(value)


def _default_device() -> torch.device | None:
    """Return the device of `torch.set_default_device`; None where nobody has set one."""
    device = torch.get_default_device()  # which makes a tensor there
    return None if device.type == "cpu" else device


def _ignore_breakpoint(*_arguments: Any, **_options: Any) -> None:
    """Stand in for the debugger: a check has nobody who could answer it."""


UNREADABLE = "cannot be read"  # as a device that this machine lacks; it is not put back
# An answer that leaves one of these switched is told so: it would change the code of others.
SWITCHES = {
    "torch.set_default_dtype": Setting(
        torch.get_default_dtype, torch.set_default_dtype, torch.float32
    ),
    "torch.set_grad_enabled": Setting(torch.is_grad_enabled, torch.set_grad_enabled, True),
    "torch.set_default_device": Setting(_default_device, torch.set_default_device, None),
}
SETTINGS = SWITCHES | {
    "autocast": Setting(
        partial(torch.is_autocast_enabled, "cpu"), partial(torch.set_autocast_enabled, "cpu"), False
    ),
    "precision": Setting(
        torch.get_float32_matmul_precision, torch.set_float32_matmul_precision, "highest"
    ),
    "determinism": Setting(
        torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode, 0
    ),
    "anomaly": Setting(torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly, False),
    "NumPy": Setting(
        np.geterr,
        lambda errors: np.seterr(**errors),
        {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"},
    ),
    "recursion": Setting(sys.getrecursionlimit, sys.setrecursionlimit, 3_000),
    "debugger": Setting(
        lambda: sys.breakpointhook, partial(setattr, sys, "breakpointhook"), _ignore_breakpoint
    ),
}


@contextlib.contextmanager
def as_they_start(settings: Mapping[str, Setting]) -> Iterator[list[str]]:
    """Have settings as they are at the start of a process; what they were comes back after.

    Yields a list, which names in the end those that the code inside has changed.
    """
    changed: list[str] = []
    before = {name: each.read() for name, each in settings.items()}
    for each in settings.values():
        each.write(each.default)
    inside = {name: each.read() for name, each in settings.items()}
    try:
        yield changed
    finally:
        changed += [name for name, each in settings.items() if each.read() != inside[name]]
        for name, each in settings.items():
            each.write(before[name])


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """What an answer prints or warns about does not reach the page, nor its random numbers others.

    Nor do the notebook's settings reach the answer, or the questions that are drawn for it.

    nbgrader gives 0 to a test cell that writes to stderr, a mere warning included.
    """
    quiet = io.StringIO()
    with (
        torch.inference_mode(False),
        as_they_start(SETTINGS),
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


def ask(cases: Sequence[Case], answer: Answer, forbidden: Forbidden) -> tuple[list[Any], list[str]]:
    """Return what `answer` says to each question, and the forbidden functions that it calls.

    It is `RESULT_MUTATED` where a result is no longer what it was when the last question was asked.
    """
    with silent(), library_calls(forbidden) as called:
        results = [_execute(case, answer) for case in cases]
        found = [now if _is_unchanged(raw, now) else RESULT_MUTATED for raw, now in results]
    return found, sorted(called)


def _is_unchanged(raw: Any, now: Any) -> bool:
    return isinstance(now, CapturedException) or compare.same(sanitize(raw), now, 0)


def run_case(case: Case, answer: Answer) -> Any:
    """Return what `answer` says to one case, as it is compared, or `CapturedException`."""
    return read(case, _execute(case, answer)[1])


def read(case: Case, found: Any) -> Any:
    """Return what is compared of a result, which somebody may have made up."""
    try:
        return found if isinstance(found, CapturedException) else case.read(found)
    except Exception:
        return found


def _execute(case: Case, answer: Answer) -> tuple[Any, Any]:
    """Return the result of one question as it is, and as plain values or `CapturedException`."""
    # Not torch.manual_seed: where there is no GPU that writes a traceback for each kind of device.
    torch.default_generator.manual_seed(0)
    with as_they_start(SWITCHES) as switched:
        try:
            raw = case.ask(answer)
            found = sanitize(raw)
        except (Exception, SystemExit, GeneratorExit) as error:
            raw, found = None, capture(error)
    if switched:
        text = f"your function changes a setting ({switched[0]}) and does not restore it"
        raw, found = None, capture(CheckError(text, SETTING))
    return raw, found
