"""What the library's answers are made of is withheld as they are, or says nothing of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from helpers import checks
from helpers.checks.engine import Answer
from helpers.course.grading.judge import Check, Judge
from helpers.course.grading.withheld import Withheld
from helpers.course.sandbox import pool
from helpers.course.sandbox.process import Limits
from helpers.course.sandbox.session import Session
from tests.common import ISOLATED, UNITS, in_order
from tests.course.grading.beneath import BENEATH, IMPORTS, UNSEEN, beneath, free


def _made(code: str) -> Answer:
    names: dict[str, Any] = {"__name__": "cell"}
    exec(IMPORTS + code, names)
    return names["answer"]


@pytest.mark.parametrize("unit", UNITS)
def test_all_that_an_answer_is_made_of_is_withheld_or_says_nothing_of_it(unit: str) -> None:
    waiting = Withheld(checks.exercises(unit))
    for exercise in in_order(unit):
        answers = {exercise.reference, *exercise.forbidden}
        known = {*waiting.names} | free(exercise.name)
        there = beneath(answers) - known
        assert not there, f"{exercise.name}: {there} can be called; withhold it, or say why not"
        waiting.after(exercise.name)


@pytest.mark.parametrize(("unit", "name"), BENEATH)
def test_what_an_answer_is_made_of_earns_nothing(unit: str, name: str) -> None:
    exercise, answer = checks.exercises(unit)[name], _made(BENEATH[unit, name])
    assert replace(exercise, forbidden=())(answer).earned > 0  # so there is something to forbid
    assert exercise(answer).earned == 0


@pytest.mark.usefixtures("warm_sandboxes")
@pytest.mark.parametrize(("unit", "name"), UNSEEN)
def test_what_is_called_where_no_check_sees_it_is_withheld(unit: str, name: str) -> None:
    code, exercise = UNSEEN[unit, name], checks.exercises(unit)[name]
    assert exercise(_made(code)).earned > 0  # where it is not withheld, as nobody sees a thread
    withheld, limits = Withheld({name: exercise}), Limits()
    with pool.taken(limits, ISOLATED) as sandbox:
        session = Session(sandbox, withheld.names)
        try:
            run = partial(session.run, seconds=60)
            assert run(IMPORTS + code) == []
            judge = Judge(partial(run, remembered=False), withheld, [])
            [shown] = judge.shown(Check(checks.package(unit), name, "answer", 5))
        finally:
            session.close()
    assert float(shown.data["text/plain"]) == 0
