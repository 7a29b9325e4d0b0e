"""A question, which is asked in the learner's kernel, brings nothing that knows what is right."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

import pytest
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise
from tests import tiers

EXERCISES = [exercise for _, exercise in tiers.exercises()]
ENGINE = "helpers.checks.engine"
TABLES = (dict, list, tuple, set, frozenset)


def _parts(value: Any) -> Iterator[Any]:
    """What a function or a container brings along, one step further."""
    match value:
        case partial():
            yield from (value.func, *value.args, *value.keywords.values())
        case MethodType():
            yield from (value.__func__, value.__self__)
        case FunctionType():
            yield from value.__defaults__ or ()
            yield from (value.__kwdefaults__ or {}).values()
            yield from (cell.cell_contents for cell in value.__closure__ or ())
            yield from _globals(value)
        case Case():
            yield value.ask
        case dict():
            yield from value.values()
        case list() | tuple() | set() | frozenset():
            yield from value


def _globals(function: FunctionType) -> Iterator[Any]:
    """The variables of the checks that it reads; the library is the learner's as well."""
    if function.__module__.startswith("helpers.checks") and ENGINE not in function.__module__:
        for name in _names(function.__code__):
            if (found := function.__globals__.get(name)) is not None:
                yield found


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _reached(value: Any) -> list[Any]:
    """Everything that a function brings along."""
    known: dict[int, Any] = {}
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if id(each) not in known:
            known[id(each)] = each
            waiting += _parts(each)
    return list(known.values())


def _tables(function: Answer) -> dict[int, Any]:
    """The tables of the checks from which a function reads, such as a list of answers."""
    return {
        id(each): each
        for each in _reached(function)
        if (isinstance(each, TABLES) and len(each) > 1)
        or (isinstance(each, Tensor) and each.numel() > 1)
    }


def leaks(exercise: Exercise, seed: int = 0) -> list[str]:
    """The questions that bring the reference, or a table from which it reads its answers."""
    answers = _tables(exercise.reference)
    found = []
    for part, cases in exercise.drawn(seed).items():
        for case in cases:
            brought = _reached(case.ask)
            if any(each is exercise.reference for each in brought):
                found.append(f"{part}, {case.label}: the reference")
            found += [
                f"{part}, {case.label}: {answers[id(each)]}"
                for each in brought
                if id(each) in answers
            ]
    return found


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_no_question_brings_the_right_answer(exercise: Exercise) -> None:
    assert leaks(exercise) == []
