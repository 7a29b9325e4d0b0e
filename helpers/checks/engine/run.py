"""Runs an answer: what it prints, draws, switches and keeps stays with it and decides no mark.

What a notebook sets for the whole process comes back afterwards. An answer that only calls a
library's version of what the exercise asks for is noticed. Who hides such a call, in a thread of C
or another process, deceives nobody but oneself.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import logging
import re
import sys
import threading
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import torch

from helpers.checks.engine import compare
from helpers.checks.engine.case import STOPS, Answer, Case
from helpers.checks.engine.serialize import (
    RESULT_MUTATED,
    SETTING,
    CapturedException,
    CheckError,
    capture,
    sanitize,
)

# Packages that come with encodings of their own, and the words by which those are known.
PACKAGES = ("d2l", "transformers", "x_transformers", "rotary_embedding_torch", "local_attention")
ENCODINGS = re.compile(
    "position|sinusoid|rotary|alibi|relative|cope|bucket|slope|attention"
    "|embeddings|tokens_and_segments|next_sentence|mlm|collator|wordpiece",
    re.IGNORECASE,
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


UNREADABLE = "cannot be read"  # as a device that this machine lacks; it is not put back
# An answer that leaves one of these switched is told so: it would change the code of others.
SWITCHES = {
    "torch.set_default_dtype": Setting(
        torch.get_default_dtype, torch.set_default_dtype, torch.float32
    ),
    "torch.set_grad_enabled": Setting(torch.is_grad_enabled, torch.set_grad_enabled, True),
    "torch.set_default_device": Setting(_default_device, torch.set_default_device, None),
}
SETTINGS = (
    *SWITCHES.values(),
    Setting(torch.get_float32_matmul_precision, torch.set_float32_matmul_precision, "highest"),
    Setting(torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode, 0),
    Setting(sys.getrecursionlimit, sys.setrecursionlimit, 3_000),
    # A handler of a log may hold on to stderr.
    Setting(lambda: logging.root.manager.disable, logging.disable, logging.CRITICAL),
    # A check has nobody who could answer a debugger.
    Setting(
        lambda: sys.breakpointhook, partial(setattr, sys, "breakpointhook"), lambda *_, **__: None
    ),
)


@contextlib.contextmanager
def as_they_start(settings: Collection[Setting]) -> Iterator[None]:
    """Have settings as they are at the start of a process; what they were comes back after."""
    before = [each.read() for each in settings]
    for each in settings:
        each.write(each.default)
    try:
        yield
    finally:
        for each, value in zip(settings, before, strict=True):
            each.write(value)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Keep an answer's output, warnings and random draws in, and the notebook's settings out.

    nbgrader gives 0 to a test cell that writes to stderr, a mere warning included.
    """
    quiet = io.StringIO()
    with (
        torch.inference_mode(False),
        torch.autocast("cpu", enabled=False),
        torch.autograd.set_detect_anomaly(False),
        np.errstate(all="warn", under="ignore"),
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
    """What an answer returned.

    Args:
        name: the learner's name for it.
        found: for each part, a plain value or `CapturedException` per question.
        used: for each part, the library function that it called first, of those it may not.
    """

    name: str
    found: dict[str, list[Any]]
    used: dict[str, list[str]]


def run_cases(
    cases: Sequence[Case], answer: Answer, forbidden: dict[Any, str]
) -> tuple[list[Any], list[str]]:
    """Return what `answer` returns for each case, and the forbidden function that it calls first.

    A result that has changed by the time that all cases have run is `RESULT_MUTATED`.
    """
    with silent(), library_calls(forbidden) as called:
        results = [_execute(case, answer) for case in cases]
        found = [now if _is_unchanged(raw, now) else RESULT_MUTATED for raw, now in results]
    return found, called


def _is_unchanged(raw: Any, now: Any) -> bool:
    return isinstance(now, CapturedException) or compare.same(sanitize(raw), now, 0)


def run_case(case: Case, answer: Answer) -> Any:
    """Return what `answer` returns for one case, as it is compared, or `CapturedException`."""
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
    with as_they_start(SWITCHES.values()):
        try:
            raw = case.ask(answer)
            found = sanitize(raw)
        except STOPS as error:
            raw, found = None, capture(error)
        switched = [name for name, each in SWITCHES.items() if each.read() != each.default]
    if switched:
        text = f"your function changes a setting ({switched[0]}) and does not restore it"
        raw, found = None, capture(CheckError(text, SETTING))
    return raw, found


def forbidden(answers: Iterable[Answer]) -> dict[Any, str]:
    """The name of each, by what a frame tells of a call, and, where it is compiled, by itself."""
    found: dict[Any, str] = {}
    for answer in answers:
        name = f"{answer.__module__}.{answer.__qualname__}"
        # PyTorch's own operators have no name.
        found |= {name: name, answer: answer.__name__ or "a compiled version"}
    return found


@contextlib.contextmanager
def library_calls(names: dict[Any, str]) -> Iterator[list[str]]:
    """Collect the name of the first library function that is called inside the `with` block.

    Calls are seen whatever they were imported as, subclassed from or fetched by.
    """
    called: list[str] = []

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        name = ""
        if event == "call":  # of Python; a check makes a million of them
            name = _python_name(frame, names)
        elif event == "c_call":
            name = names.get(argument) or names.get(type(getattr(argument, "__self__", None)), "")
        if name and not called:
            called.append(name)

    before = sys.getprofile(), threading.getprofile()
    sys.setprofile(watch)
    threading.setprofile(watch)
    try:
        yield called
    finally:
        sys.setprofile(before[0])
        threading.setprofile(before[1])


def _python_name(frame: FrameType, names: dict[Any, str]) -> str:
    """The name of what is called, where it is forbidden or another package's encoding; else ""."""
    code, module = frame.f_code, str(frame.f_globals.get("__name__"))
    name = f"{module}.{code.co_qualname}"
    if found := names.get(name) or names.get(name.rpartition(".")[0]):  # a class, by its method
        return found
    if module.partition(".")[0] not in PACKAGES or not ENCODINGS.search(code.co_qualname):
        return ""
    called = code.co_flags & inspect.CO_OPTIMIZED  # and not only defined, by an import
    return f"{module.partition('.')[0]}: {code.co_qualname.partition('.')[0]}" if called else ""
