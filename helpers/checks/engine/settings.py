"""Suspends a notebook's settings while an answer is asked, so that none of them decides a mark."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

RECURSION = 3_000  # frames; enough for what checks and lessons do


UNREADABLE = "cannot be read"  # as a device that this machine lacks; it is not put back


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


# An answer that leaves one of these switched is told so: it would change the code of others.
SWITCHES = {
    "torch.set_default_dtype": Setting(
        torch.get_default_dtype, torch.set_default_dtype, torch.float32
    ),
    "torch.set_grad_enabled": Setting(torch.is_grad_enabled, torch.set_grad_enabled, True),
    "torch.set_default_device": Setting(_default_device, torch.set_default_device, None),
}
OTHERS = (
    Setting(torch.get_float32_matmul_precision, torch.set_float32_matmul_precision, "highest"),
    Setting(torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode, 0),
    Setting(torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly, False),
)


def _ignore_breakpoint(*_arguments: Any, **_options: Any) -> None:
    """Stand in for the debugger: a check has nobody who could answer it."""


@contextlib.contextmanager
def default_settings() -> Iterator[None]:
    """Have PyTorch, NumPy and Python as they start; what the notebook has set comes back after."""
    with contextlib.ExitStack() as stack:
        if torch.is_inference_mode_enabled():
            stack.enter_context(torch.inference_mode(False))
        if torch.is_autocast_enabled("cpu"):
            stack.enter_context(torch.autocast("cpu", enabled=False))
        stack.enter_context(np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"))
        stack.enter_context(_restored())
        yield


@contextlib.contextmanager
def _restored() -> Iterator[None]:
    settings = (*SWITCHES.values(), *OTHERS)
    before = [each.read() for each in settings]
    depth, debugger = sys.getrecursionlimit(), sys.breakpointhook
    try:
        for each in settings:
            each.write(each.default)
        sys.breakpointhook = _ignore_breakpoint
        sys.setrecursionlimit(max(depth, RECURSION))
        yield
    finally:
        sys.setrecursionlimit(depth)
        sys.breakpointhook = debugger
        for each, value in zip(settings, before, strict=True):
            each.write(value)


@contextlib.contextmanager
def unswitched() -> Iterator[list[str]]:
    """Yield a list of the settings that the code inside switched; they are put back."""
    switched: list[str] = []
    before = {name: each.read() for name, each in SWITCHES.items()}
    for each in SWITCHES.values():
        each.write(each.default)
    asked = {name: each.read() for name, each in SWITCHES.items()}
    try:
        yield switched
    finally:
        switched += [name for name, each in SWITCHES.items() if each.read() != asked[name]]
        for name, each in SWITCHES.items():
            each.write(before[name])
