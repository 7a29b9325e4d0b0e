"""What is sent into a learner's kernel holds no right answer."""

from __future__ import annotations

import copy
import pickle
import pickletools
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from types import FrameType, FunctionType
from typing import Any

import pytest
import torch
from torch import Tensor

from helpers import checks
from helpers.checks.engine import Exercise, Questions, compare
from helpers.checks.engine.library import forbidden
from helpers.checks.engine.plain import plain
from helpers.course.grading.judge import Check, Judge
from helpers.course.grading.sent import written
from helpers.course.grading.withheld import Withheld
from tests.common import UNITS, in_order

SEED = 11 | 1 << 63  # as `judge.drawn` draws them
DEEP, MANY = 4, 20


def _sent(unit: str, exercise: Exercise) -> tuple[bytes, set[Any]]:
    package = checks.package(unit)
    return written(f"{package}.{exercise.name}", package, exercise.questions(exercise.drawn(SEED)))


@pytest.mark.parametrize("unit", UNITS)
def test_neither_the_seed_nor_the_code_of_an_answer_is_sent_before_it_is_asked(unit: str) -> None:
    waiting = Withheld(checks.exercises(unit))
    for exercise in in_order(unit):
        sent, codes = _sent(unit, exercise)
        told = [each for _, each, _ in pickletools.genops(sent) if isinstance(each, int | str)]
        assert not any(str(SEED) in str(each) for each in told), exercise.name
        assert not waiting.has(codes), exercise.name
        wrong = {getattr(each.answer, "__code__", None) for each in exercise.mistakes}
        assert not wrong & codes, exercise.name
        waiting.after(exercise.name)


class _Spy:
    """A right answer that looks for what is right among all that those who ask it hold."""

    def __init__(self, reference: Any) -> None:
        self.reference, self.found, self.left = reference, False, 20

    def __call__(self, *given: Any, **named: Any) -> Any:
        right = self.reference(*copy.deepcopy(given), **copy.deepcopy(named))
        self.left -= 1
        if self.left >= 0 and _tells(wanted := plain(right)):
            known = [*given, *named.values()]
            found = any(_same(each, wanted) for each in _held_by(sys._getframe(1)))
            self.found |= found and not any(_same(each, wanted) for each in known)
        return right


def _same(value: Any, wanted: Any) -> bool:
    return isinstance(value, Tensor | dict) and compare.same(plain(value), wanted, 1e-6)


def _tells(right: Any) -> bool:
    """Whether a value that is the same is so by no accident."""
    values = right.values() if isinstance(right, dict) else [right]
    return any(isinstance(each, Tensor) and len(each.unique()) > 3 for each in values)


def _held_by(frame: FrameType | None) -> Iterator[Any]:
    while frame is not None and frame.f_code is not Questions.ask_part.__code__:
        for name, value in frame.f_locals.items():
            if name not in ("raw", "result", "said", "first", "before"):  # its own words
                yield from _inside(value, DEEP)
        frame = frame.f_back


def _inside(value: Any, deep: int) -> Iterator[Any]:
    yield value
    inner: list[Any] = []
    match value:
        case dict():
            inner = [*value.values()][:MANY]
        case list() | tuple():
            inner = [*value][:MANY]
        case partial():
            inner = [value.func, *value.args, *value.keywords.values()]
        case FunctionType():
            inner = [cell.cell_contents for cell in value.__closure__ or () if _full(cell)]
        case _ if is_dataclass(value) and not isinstance(value, type):
            inner = [getattr(value, each.name) for each in fields(value)]
    if deep:
        for each in inner:
            yield from _inside(each, deep - 1)


def _full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


@pytest.mark.parametrize("unit", UNITS)
def test_no_question_holds_what_is_right(unit: str) -> None:
    for exercise in checks.exercises(unit).values():
        if isinstance(exercise.reference, type):
            continue
        questions: Questions = pickle.loads(_sent(unit, exercise)[0])
        spy = _Spy(exercise.reference)
        questions.ask(spy)
        assert not spy.found, exercise.name


def test_the_kernel_is_asked_without_the_seed() -> None:
    asked: list[Any] = []
    flags: list[str] = []

    def run(code: str, sent: bytes = b"") -> list[Any]:
        asked.extend([code, sent])
        return []

    exercise = checks.exercises("02-sinusoidal")["table"]
    judge = Judge(run, Withheld({"table": exercise}), flags)
    judge.shown(Check(checks.package("02-sinusoidal"), "table", "mine", SEED))
    assert "ask(mine)" in asked[0] and str(SEED) not in asked[0]
    assert flags == ["the questions of the check were not answered"]
    assert SEED.to_bytes(8, "little") not in asked[1]


def test_what_a_question_holds_would_be_found() -> None:
    def reference(x: Tensor) -> Tensor:
        return x.cos()

    given = torch.arange(5.0)
    right = reference(given)

    def ask(answer: Any) -> Any:
        return compare.same(answer(given), right, 1e-6)

    spy = _Spy(reference)
    Questions("x", {"all": [ask]}, forbidden([])).ask(spy)
    assert spy.found
