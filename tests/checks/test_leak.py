"""A question, which is asked in the learner's kernel, brings nothing that knows what is right."""

from __future__ import annotations

import gc
import inspect
from types import FunctionType, ModuleType
from typing import Any

import pytest
from torch import Tensor

from helpers.checks.engine import Exercise
from tests import tiers

EXERCISES = [exercise for _, exercise in tiers.exercises()]
TABLES = (dict, list, tuple, set, frozenset)


def _brought(value: Any) -> dict[int, Any]:
    """All that a function brings along; of the library, which is the learner's as well, nothing."""
    known: dict[int, Any] = {}
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if id(each) in known or isinstance(each, type | ModuleType):
            continue
        known[id(each)] = each
        if isinstance(each, FunctionType):
            used = inspect.getclosurevars(each)
            waiting += [*used.nonlocals.values(), each.__defaults__, each.__kwdefaults__]
            engine = each.__module__.startswith("helpers.checks.engine")
            if each.__module__.startswith("helpers.checks") and not engine:
                waiting += used.globals.values()
        else:
            waiting += gc.get_referents(each)
    return known


def _is_table(value: Any) -> bool:
    """Whether answers could stand in it."""
    size = (
        value.numel() if isinstance(value, Tensor) else len(value) if type(value) in TABLES else 0
    )
    return size > 1


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_no_question_brings_the_right_answer_or_a_table_that_it_reads(exercise: Exercise) -> None:
    right = _brought(exercise.reference)
    secret = {n for n, each in right.items() if each is exercise.reference or _is_table(each)}
    for part, cases in exercise.drawn(0).items():
        for case in cases:
            leaked = [right[n] for n in secret & _brought(case.ask).keys()]
            assert leaked == [], f"{part}, {case.label}"
