"""Asks an answer: what it prints, draws, switches and keeps stays with it and decides no mark.

What a notebook sets for the whole process comes back afterwards.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Generator, Tensor

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
    # A handler of a log may hold on to stderr.
    "logging": Setting(lambda: logging.root.manager.disable, logging.disable, logging.CRITICAL),
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
    """Keep an answer's output, warnings and random draws in, and the notebook's settings out.

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
        yield


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


def run_cases(
    cases: Sequence[Case], answer: Answer, forbidden: Forbidden
) -> tuple[list[Any], list[str]]:
    """Return what `answer` says to each case, and the forbidden functions that it calls.

    A result that has changed by the time that all cases have run is `RESULT_MUTATED`.
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
    """Return what is compared of a result; one that `case` cannot read is compared as it is."""
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


def without_caching(case: Case) -> Case:
    """The same question, its first call made before as well, with other numbers and the same.

    What is remembered by the tensor object gives another result than is right, as it would after
    a step of an optimizer; what returns one tensor again and again ends in `RESULT_MUTATED`.
    A class is asked as it is: what an object keeps is for the exercise to say.
    """
    return replace(case, ask=lambda answer: case.ask(_called_before(answer)))


def _called_before(answer: Answer) -> Answer:
    if isinstance(answer, type):
        return answer
    calls = itertools.count()

    @functools.wraps(answer)
    def called(*arguments: Any, **options: Any) -> Any:
        if next(calls):
            return answer(*arguments, **options)
        given, before = [*arguments, *options.values()], []
        for change in (_others, torch.clone):  # the same numbers too: some remember by value
            with contextlib.suppress(Exception, SystemExit, GeneratorExit), _filled(given, change):
                before.append(answer(*arguments, **options))
        found = answer(*arguments, **options)
        same = isinstance(found, dict) and any(found is each for each in before)
        if same or (_memory(before) & _memory(found)) - _memory(given):
            raise CheckError(RESULT_MUTATED.text, RESULT_MUTATED.kind)
        return found

    return called


@contextlib.contextmanager
def _filled(given: list[Any], change: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Put other numbers into each tensor for a while, and let no draw of this while count."""
    states: list[tuple[Callable[[Any], Any], Any]] = []
    states += [(each.set_state, each.get_state()) for each in given if isinstance(each, Generator)]
    states += [(each.setstate, each.getstate()) for each in given if isinstance(each, Random)]
    tensors = (each for each in given if type(each) is Tensor and each.numel())
    numbers = [(each, each.detach().clone()) for each in tensors]
    with torch.random.fork_rng(devices=[]):
        try:
            for tensor, before in numbers:
                _fill(tensor, change(before))
            yield
        finally:
            for tensor, before in numbers:
                _fill(tensor, before)
            for set_back, state in states:
                set_back(state)


def _others(numbers: Tensor) -> Tensor:
    """Other numbers that may be asked too: a permutation stays one.

    The parents of a tree, one of them −1, stay as they are: whoever climbs a circle never ends.
    """
    if numbers.is_floating_point():
        return numbers.flip(tuple(range(numbers.dim())))
    if numbers.dim() == 0 or (numbers.dim() == 1 and numbers.min() < 0):
        return numbers
    rows_or_all_different = numbers.dim() > 1 or len(numbers.unique()) == len(numbers)
    return numbers.flip(0) if rows_or_all_different else numbers.min().expand_as(numbers)


def _fill(tensor: Tensor, numbers: Tensor) -> None:
    # A view that shows one number at many places cannot be written into.
    with torch.no_grad(), contextlib.suppress(RuntimeError):
        tensor.copy_(numbers)


def _memory(value: Any) -> set[int]:
    """Where the numbers of a value's tensors and arrays stand.

    A list may well be the same one each time, looked up in a table that the answer begins with.
    """
    if isinstance(value, list | tuple | dict):
        inner = value.values() if isinstance(value, dict) else value
        return set().union(*map(_memory, inner))
    if type(value) is np.ndarray and value.size:
        return {value.ctypes.data}
    if type(value) in compare.ARRAYS and value.layout is torch.strided and value.numel():
        return {value.untyped_storage().data_ptr()}
    return set()
