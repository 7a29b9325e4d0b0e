"""The checks are strict: no mutant of a solution keeps all points, but for those that are right."""

from dataclasses import replace

import pytest

from helpers import checks
from helpers.checks import start_here
from helpers.course.settings import Course
from tests import tiers
from tests.common import UNITS
from tests.mutants import mutate, trial
from tests.mutants.trial import Solution

UNIT = "00-start-here"
CELL = '''\
def slope(x, dim=-1):
    """Given to the learner."""
    ### BEGIN SOLUTION
    first = x.sin().abs()
    if dim < 0:
        raise ValueError(f"dim={dim + 1}")
    return torch.cat([first[1:], -x], dim=-1) - half(2.0)
    ### END SOLUTION
'''


def _faults(solution: Solution, course: Course, unit: str, one_in: int = 1) -> list[str]:
    equivalent = trial.equivalents(course, unit).get(solution.exercise, set())
    mutants = tiers.sample(mutate.mutants(solution.cell), one_in)
    return trial.faults(solution, trial.run(solution, mutants, equivalent), equivalent)


@pytest.mark.parametrize(
    ("unit", "name"), [(unit, exercise.name) for unit, exercise in tiers.exercises()]
)
def test_no_mutant_of_a_solution_keeps_all_points(course: Course, unit: str, name: str) -> None:
    """A twelfth of them, a sixth of a changed exercise's; all at night and by `make probes`."""
    [solution] = [each for each in trial.solutions(course, unit) if each.exercise == name]
    assert _faults(solution, course, unit, one_in=6 if tiers.CHANGED else 12) == []


@pytest.mark.parametrize("unit", UNITS)
def test_every_exercise_is_mutated_and_its_solution_is_right(course: Course, unit: str) -> None:
    solutions = trial.solutions(course, unit)
    names = {each.exercise for each in solutions}
    assert set(trial.equivalents(course, unit)) <= names == set(checks.exercises(unit))
    assert all(each.survives(each.cell) for each in solutions)


def test_what_is_changed() -> None:
    changes = [mutant.change.split(" → ")[1] for mutant in mutate.mutants(CELL)]
    assert {
        "first = x.cos().abs()",
        "first = x.sin()",
        "pass",
        "if (dim <= 0):",
        "return torch.cat([first[:], -x], dim=-1) - half(2.0)",
        "return torch.cat([first[1:], x], dim=-1) - half(2.0)",
        "return torch.cat([first[1:], -x], dim=-2) - half(2.0)",
        "return (torch.cat([first[1:], -x], dim=-1) + half(2.0))",
        "return torch.cat([first[1:], -x], dim=-1) - 2.0",
        "return torch.cat([x[1:], -x], dim=-1) - half(2.0)",
    } <= set(changes)
    assert not any("def slope" in change or "f'dim" in change for change in changes)


ENDLESS = ("torch.ones(2**29).double()", "for _ in range(10**9): pass")  # 6 GiB; half a minute


@pytest.mark.slow
@pytest.mark.parametrize("extra", ["len('fine')", *ENDLESS])
def test_what_takes_too_much_is_killed(
    course: Course, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "SECONDS", 1.0)
    solution = trial.solutions(course, UNIT)[0]
    text = solution.cell.replace("### BEGIN SOLUTION", extra)
    assert solution.survives(text) == (extra not in ENDLESS)


def test_a_mistake_that_costs_nothing_or_gets_no_hint_is_told() -> None:
    exercise = start_here.positions
    mistake = exercise.mistakes[0]
    assert trial.mistake_fault(exercise, mistake) == ""
    assert "must lose" in trial.mistake_fault(exercise, replace(mistake, hint="Another."))
    assert "must lose" in trial.mistake_fault(exercise, replace(mistake, loses=()))
    assert "✗" in trial.variant_fault(exercise, mistake)
