"""What a notebook sets for the whole process decides nothing about an answer, and stays set."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
import pytest
import torch

from helpers.checks import exercises
from tests.checks.variants.sinusoidal import table_by_exp_and_log


@contextmanager
def _switched(switch: Callable[[Any], object], to: Any, back: Any) -> Iterator[None]:
    switch(to)
    try:
        yield
    finally:
        switch(back)


def _anomaly(mode: object) -> None:
    torch.autograd.set_detect_anomaly(bool(mode))


SETTINGS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "dtype": lambda: _switched(torch.set_default_dtype, torch.float64, torch.float32),
    "device": lambda: _switched(torch.set_default_device, "meta", None),
    "gradients": torch.no_grad,
    "precision": lambda: _switched(torch.set_float32_matmul_precision, "medium", "highest"),
    "determinism": lambda: _switched(torch.set_deterministic_debug_mode, 1, 0),
    "anomaly": lambda: _switched(_anomaly, True, False),
    "inference": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "numpy": lambda: np.errstate(all="raise"),
    "logging": lambda: _switched(logging.disable, logging.INFO, logging.NOTSET),
    "recursion": lambda: _switched(sys.setrecursionlimit, 900, sys.getrecursionlimit()),
    "debugger": lambda: _switched(
        lambda hook: setattr(sys, "breakpointhook", hook), print, sys.breakpointhook
    ),
}


def _state() -> dict[str, object]:
    return {
        "dtype": torch.get_default_dtype(),
        "device": torch.get_default_device().type,
        "gradients": torch.is_grad_enabled(),
        "precision": torch.get_float32_matmul_precision(),
        "determinism": torch.get_deterministic_debug_mode(),
        "anomaly": torch.is_anomaly_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "numpy": tuple(np.geterr().items()),
        "logging": logging.root.manager.disable,
        "recursion": sys.getrecursionlimit(),
        "debugger": sys.breakpointhook,
    }


def _states_seen() -> list[dict[str, object]]:
    """What a right answer finds set, each time that it is asked."""
    seen: list[dict[str, object]] = []

    def table(length: int, d_model: int, base: float = 10_000.0) -> torch.Tensor:
        seen.append(_state())
        return table_by_exp_and_log(length, d_model, base)

    assert exercises("02-sinusoidal")["table"].is_correct(table)
    return seen


@pytest.mark.parametrize("name", SETTINGS)
def test_it_is_suspended_for_a_right_answer_and_comes_back(name: str) -> None:
    usual = _states_seen()
    with SETTINGS[name]():
        mine = _state()
        assert mine[name] != usual[0][name]
        assert _states_seen() == usual
        assert _state() == mine


@pytest.mark.skipif(torch.cuda.is_available(), reason="the device is there")
def test_a_device_that_this_machine_does_not_have_hinders_no_answer() -> None:
    with _switched(torch.set_default_device, "cuda", None):
        assert exercises("02-sinusoidal")["table"].is_correct(table_by_exp_and_log)


def test_a_setting_that_pytorch_does_not_tell_hinders_no_answer() -> None:
    matmul = torch.backends.cuda.matmul
    if not hasattr(matmul, "fp32_precision"):
        pytest.skip("this PyTorch has the older setting alone")
    with _switched(lambda to: setattr(matmul, "fp32_precision", to), "tf32", matmul.fp32_precision):
        assert exercises("02-sinusoidal")["table"].is_correct(table_by_exp_and_log)
