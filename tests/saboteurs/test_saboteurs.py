"""Every saboteur loses points, wherever the text forbids what it does."""

import random
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.course.settings import Course
from tests import tiers
from tests.mutants import trial
from tests.saboteurs import table


def _chosen() -> list[tuple[str, str]]:
    """The exercises that have changed; else a twelfth, and at night all."""
    named = [(unit, exercise.name) for unit, exercise in tiers.exercises()]
    return named if tiers.CHANGED else tiers.sample(named, 12)


@pytest.mark.parametrize(("unit", "name"), _chosen())
def test_no_saboteur_keeps_all_points(course: Course, unit: str, name: str) -> None:
    [solution] = [each for each in trial.solutions(course, unit) if each.exercise == name]
    excused = trial.equivalents(course, unit, "saboteurs").get(name, set())
    assert table.faults(table.tried(solution.check.load(), solution.answer()), excused) == []


def _doubled(x: Tensor) -> Tensor:
    return 2 * x.sin()


def _added(x: Tensor) -> Tensor:
    return x.sin() + x.sin()


def _numbers(_draw: random.Random) -> list[Case]:
    x = torch.arange(6.0, requires_grad=True)
    return [Case("numbers", lambda answer: answer(x))]


def _gradients(_draw: random.Random) -> list[Case]:
    def ask(answer: Answer) -> object:
        x = torch.arange(6.0, requires_grad=True)
        return torch.autograd.grad(answer(x).sum(), x)[0]

    return [Case("gradient", ask)]


TOY = Exercise("toy", _doubled, (Part("numbers", 1, _numbers), Part("gradients", 1, _gradients)))


def test_a_check_that_asks_less_lets_saboteurs_survive() -> None:
    strict = table.tried(TOY, _added)
    assert strict["detached"] and strict["under no_grad"] and strict["a constant"]
    lax = table.tried(replace(TOY, parts=TOY.parts[:1]), _added)
    assert not lax["detached"] and not lax["under no_grad"] and lax["a constant"]
    assert "survived: detached" in table.faults(lax, ["under *", "a constant"])
    assert "no excuse needed: a constant" in table.faults(lax, ["under *", "a constant"])
