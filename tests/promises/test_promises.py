"""Every sentence that asks for something has a case that fails where it is not held."""

from dataclasses import replace

import pytest

from helpers.checks import order_blind
from helpers.checks.engine.hints import DTYPE
from helpers.course.settings import Course
from tests import tiers
from tests.common import UNITS
from tests.mutants import trial
from tests.promises import probes, table

UNIT = "01-order-blind"


@pytest.mark.parametrize("unit", UNITS)
def test_every_promise_has_a_case(course: Course, unit: str) -> None:
    assert table.faults(course, unit) == []


GENERIC = [(unit, each.name) for unit, each in tiers.exercises() if each.generic]


@pytest.mark.parametrize(("unit", "name"), GENERIC if tiers.CHANGED else tiers.sample(GENERIC, 6))
def test_a_fault_that_breaks_a_sentence_loses_points_and_is_named(
    course: Course, unit: str, name: str
) -> None:
    [solution] = [each for each in trial.solutions(course, unit) if each.exercise == name]
    assert list(probes.unnoticed(solution.check.load(), solution.answer())) == []


def test_a_fault_that_no_case_looks_for_is_unnoticed() -> None:
    parts = tuple(replace(each, cases=lambda _rng: []) for each in order_blind.masked.parts)
    lax = replace(order_blind.masked, generic={"": DTYPE}, parts=parts)
    assert list(probes.unnoticed(lax, order_blind.masked.reference)) == ["masked: another dtype"]


def test_a_promise_that_nothing_breaks_is_a_fault(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order_blind, "masked", replace(order_blind.masked, module=""))
    assert "masked: nothing breaks it: `mask=None` hides nothing." in table.faults(course, UNIT)
