"""The checks are strict: no mutant of a solution keeps all points, but for those that are right."""

from dataclasses import replace

import pytest

from helpers import checks
from helpers.checks import start_here
from helpers.course.settings import Course
from tests import tiers
from tests.common import UNITS
from tests.mutants import mutate, trial


@pytest.mark.parametrize(
    ("unit", "name"), [(unit, exercise.name) for unit, exercise in tiers.exercises()]
)
def test_no_mutant_of_a_solution_keeps_all_points(course: Course, unit: str, name: str) -> None:
    """A twelfth of them, a sixth of a changed exercise's; all at night and by `make probes`."""
    [solution] = [each for each in trial.solutions(course, unit) if each.exercise == name]
    assert solution.survives(solution.cell)
    equivalent = trial.equivalents(course, unit).get(name, set())
    mutants = tiers.sample(mutate.mutants(solution.cell), 6 if tiers.CHANGED else 12)
    assert trial.faults(solution, mutants, equivalent) == []


def test_equivalent_mutants_and_saboteurs_are_of_exercises(course: Course) -> None:
    for unit in UNITS:
        assert set(trial.equivalents(course, unit)) <= set(checks.exercises(unit))


def test_a_mistake_that_costs_nothing_or_gets_no_hint_is_told() -> None:
    exercise = start_here.positions
    mistake = exercise.mistakes[0]
    assert trial.mistake_fault(exercise, mistake) == ""
    assert "must lose" in trial.mistake_fault(exercise, replace(mistake, hint="Another."))
    assert "must lose" in trial.mistake_fault(exercise, replace(mistake, loses=()))
    assert "✗" in trial.variant_fault(exercise, mistake)


def test_a_mutant_that_survives_a_lax_check_is_told(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    [solution] = trial.solutions(course, "00-start-here")
    real = start_here.positions
    lax = replace(real, parts=tuple(replace(e, cases=lambda _rng: []) for e in real.parts))
    monkeypatch.setattr(start_here, "positions", lax)
    first, *told = trial.faults(solution, mutate.mutants(solution.cell)[:3], {"of another cell"})
    assert first == "no such mutant: of another cell"
    assert any(each.startswith("survived: ") for each in told)
