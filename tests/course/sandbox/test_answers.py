"""Answers reach the process that judges them."""

import json

import pytest

from helpers.checks.engine import Exercise
from helpers.course.sandbox.process import Limits
from helpers.course.sandbox.shell import to_json
from tests import tiers


@pytest.mark.parametrize(
    "exercise", [each for _, each in tiers.exercises()], ids=lambda exercise: exercise.name
)
def test_right_answers_take_at_most_half_of_what_a_kernel_may_send(exercise: Exercise) -> None:
    sent = json.dumps(to_json(exercise.ask(exercise.reference, seed=5)))
    assert len(sent) <= Limits().output / 2
