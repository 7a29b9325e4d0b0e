"""The checks are strict: only right mutants of a solution, or saboteurs, keep all points."""

from dataclasses import replace

import pytest
from torch import Tensor

from helpers import checks
from helpers.checks import start_here
from helpers.checks.engine import Exercise
from helpers.course.settings import Course
from tests import tiers
from tests.checks.toy import TOY
from tests.common import UNITS
from tests.probes import mutate, trial


def _named(unit: str, exercise: Exercise) -> list[tuple[str, str]]:
    return [(unit, exercise.name)]


@pytest.mark.parametrize(("unit", "name"), tiers.known(_named, 1))
def test_no_mutant_of_a_solution_keeps_all_points(course: Course, unit: str, name: str) -> None:
    """A twelfth of them, a sixth of a changed exercise's; all at night and by `make probes`."""
    solution = trial.solution(course, unit, name)
    assert solution.survives(solution.cell)
    equivalent = trial.equivalents(course, unit).get(name, set())
    mutants = tiers.sample(mutate.mutants(solution.cell), 6 if tiers.is_changed(unit, name) else 12)
    assert trial.faults(solution, mutants, equivalent) == []


@pytest.mark.parametrize(("unit", "name"), tiers.known(_named, 12))
def test_no_saboteur_of_a_solution_keeps_all_points(course: Course, unit: str, name: str) -> None:
    """Of exercises that have changed; else of a twelfth, and at night of all."""
    solution = trial.solution(course, unit, name)
    excused = trial.equivalents(course, unit, "saboteurs").get(name, set())
    tried = trial.sabotaged(solution.check.load(), solution.answer())
    assert trial.holes(tried, excused) == []


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


def test_a_check_that_asks_less_lets_saboteurs_survive() -> None:
    def added(x: Tensor) -> Tensor:
        return x + x

    strict = trial.sabotaged(TOY, added)
    assert strict["detached"] and strict["under no_grad"] and strict["a constant"]
    lax = trial.sabotaged(replace(TOY, parts=TOY.parts[:1]), added)
    assert not lax["detached"] and not lax["under no_grad"] and lax["a constant"]
    assert "survived: detached" in trial.holes(lax, ["under *", "a constant"])
    assert "no excuse needed: a constant" in trial.holes(lax, ["under *", "a constant"])
