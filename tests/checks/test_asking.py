"""What an answer returns is never taken for what a question finds out about its results."""

from __future__ import annotations

from typing import Any

import pytest

from helpers.checks.engine import Answer, Exercise, compare
from helpers.checks.engine.asking import ask
from tests import tiers

ALL = [exercise for _, exercise in tiers.exercises()]
EXERCISES = ALL if tiers.CHANGED else tiers.sample(ALL, 6)


def _always(found: Any, like: Answer) -> Answer:
    """An answer that returns `found` whatever it is asked, as a function or by each method."""
    if not isinstance(like, type):
        return lambda *arguments, **options: found

    class Always(like):  # type: ignore[misc, valid-type]
        def __getattribute__(self, name: str) -> Any:
            own = super().__getattribute__(name)
            return (lambda *a, **o: found) if name in vars(like) and callable(own) else own

    return Always


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_a_dictionary_of_the_right_entries_earns_nothing(exercise: Exercise) -> None:
    """It could be read off the messages, which name the entries."""
    taken = []
    for part, cases in exercise.drawn(0).items():
        for case, right in zip(cases, exercise.right_to(cases), strict=True):
            if isinstance(right, dict):
                found, nothing = (
                    ask(case, _always(each, exercise.reference)) for each in (right, object())
                )
                # Some questions are about something else than the result.
                if compare.same(found, right, exercise.tolerance) and not compare.same(
                    nothing, right, exercise.tolerance
                ):
                    taken.append((part, case.label))
    assert not taken
