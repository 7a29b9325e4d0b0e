"""A question, which is asked in the learner's kernel, brings nothing that knows what is right."""

import gc
import re
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from torch import Tensor

from helpers.checks.engine import Case, Exercise
from tests import tiers

EXERCISES = [exercise for _, exercise in tiers.exercises()]


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
            waiting += [each.__closure__, *(each.__defaults__ or ()), each.__kwdefaults__]
            if re.match(r"helpers\.checks\.(?!engine)", each.__module__):
                waiting += [each.__globals__.get(name) for name in _names(each.__code__)]
        elif isinstance(each, Case):
            waiting.append(each.ask)  # what is said is read elsewhere
        else:
            waiting += gc.get_referents(each)
    return known


def _names(code: CodeType) -> set[str]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _is_table(value: Any) -> bool:
    """Whether answers could stand in it."""
    if isinstance(value, Tensor):
        return value.numel() > 1
    return isinstance(value, dict | list | tuple | set | frozenset) and len(value) > 1


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_no_question_brings_the_right_answer_or_a_table_that_it_reads(exercise: Exercise) -> None:
    right = _brought(exercise.reference)
    secret = {n for n, each in right.items() if each is exercise.reference or _is_table(each)}
    for part, cases in exercise.drawn(0).items():
        for case in cases:
            leaked = [right[n] for n in secret & _brought(case.ask).keys()]
            assert leaked == [], f"{part}, {case.label}"
