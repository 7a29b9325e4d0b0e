"""Every sentence that asks for something has a case that fails where it is not held."""

from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

import pytest

from helpers.checks import order_blind
from helpers.checks.engine import Answer, Exercise, hints
from helpers.checks.engine.hints import DTYPE, Fault
from helpers.course.settings import Course
from tests import tiers
from tests.common import UNITS
from tests.probes import saboteurs, trial
from tests.promises import table

UNIT = "01-order-blind"
SABOTEURS: dict[Fault, tuple[str, ...]] = {
    hints.NO_GRADIENT: ("detached", "under no_grad", "through NumPy"),
    hints.DTYPE: ("forced to float32", "forced to float64", "whole numbers as floats"),
    hints.IN_PLACE: ("writes into *",),
    hints.KEPT: ("one tensor for all results", "the first answer for ever", "remembers by shape"),
}


def _unnoticed(exercise: Exercise, right: Answer) -> Iterator[str]:
    """Yield what the exercise calls a fault of its sentences and neither refuses nor names."""
    tried = dict(saboteurs.of(right))
    for fault in dict.fromkeys(exercise.generic.values()):
        made = [
            each.answer
            for name, each in tried.items()
            if any(fnmatchcase(name, pattern) for pattern in SABOTEURS[fault])
        ]
        if not any(_named(exercise, answer, fault) for answer in made):
            yield f"{exercise.name}: {fault.name}"


def _named(exercise: Exercise, answer: Answer, fault: Fault) -> bool:
    """Whether the answer loses points, and is told of the fault."""
    report = exercise(answer)
    return report.earned < report.points and fault.hint in report.hints


@pytest.mark.parametrize("unit", UNITS)
def test_every_promise_has_a_case(course: Course, unit: str) -> None:
    assert table.faults(course, unit) == []


def _generic(unit: str, exercise: Exercise) -> list[tuple[str, str]]:
    return [(unit, exercise.name)] if exercise.generic else []


@pytest.mark.parametrize(("unit", "name"), tiers.known(_generic, 6))
def test_a_fault_that_breaks_a_sentence_loses_points_and_is_named(
    course: Course, unit: str, name: str
) -> None:
    solution = trial.solution(course, unit, name)
    assert list(_unnoticed(solution.check.load(), solution.answer())) == []


def test_a_fault_that_no_case_looks_for_is_unnoticed() -> None:
    parts = tuple(replace(each, cases=lambda _rng: []) for each in order_blind.masked.parts)
    lax = replace(order_blind.masked, generic={"": DTYPE}, parts=parts)
    assert list(_unnoticed(lax, order_blind.masked.reference)) == ["masked: another dtype"]


def test_a_promise_that_nothing_breaks_is_a_fault(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order_blind, "masked", replace(order_blind.masked, module=""))
    assert "masked: nothing breaks it: `mask=None` hides nothing." in table.faults(course, UNIT)
