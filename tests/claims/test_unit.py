"""Unit 09: a verdict is paid for where it follows from what was measured, not where it is known."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from helpers.checks import claim_lab as check
from helpers.checks.exercise import Exercise
from helpers.claims import VERDICTS

MEASURING: dict[Exercise, Callable[..., dict[str, Any]]] = {
    check.beyond: lambda right, trained: {"share": right[:, :, trained:].nanmean((1, 2))},
    check.offsets: lambda table, matrices: {"share": []},
    check.better: lambda runs, ours, other, by: {"difference": []},
}


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("exercise", MEASURING, ids=lambda exercise: exercise.name)
def test_no_verdict_known_by_heart_is_paid_for(exercise: Exercise, verdict: str) -> None:
    def answer(*given: Any) -> dict[str, Any]:
        return {**MEASURING[exercise](*given), "verdict": verdict}

    for seed in range(5):
        lost = [each.part for each in exercise(answer, seed).findings if not each.right]
        assert "the verdict, whatever was measured" in lost


@pytest.mark.parametrize("verdict", VERDICTS)
def test_the_rule_has_more_than_one_answer(verdict: str) -> None:
    assert check.settle(lambda values, low=0, high=0: verdict).earned == 0


def test_each_exercise_is_asked_what_comes_out_either_way() -> None:
    for exercise in (check.settle, *MEASURING):
        for seed in range(5):
            cases = exercise.draw(exercise.parts[1], seed)
            found = {case.ask(exercise.reference) for case in cases}
            assert found == {"holds", "does not hold", "not settled here"}


def test_an_answer_may_be_a_series_a_list_or_an_array() -> None:
    def better(runs: pd.DataFrame, ours: str, other: str, by: float) -> dict[str, Any]:
        found = check.better.reference(runs, ours, other, by)
        return found | {"difference": found["difference"].tolist()}

    findings = check.better(better).findings
    assert all("asks you to write" in each.message for each in findings)  # it calls the course's
    ask = check._entry("difference", torch.ones(2))
    for value in (pd.Series([1.0]), [1.0], torch.ones(1), np.ones(1)):
        assert list(ask(lambda _, value=value: {"difference": value})) == [1.0]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda right, trained: None, "return missing"),
        (lambda right, trained: 0.5, "expected a dict, found float"),
        (lambda right, trained: {"verdict": "holds"}, "no entry share"),
    ],
)
def test_whatever_else_comes_back_gets_a_plain_sentence(answer: Any, words: str) -> None:
    assert words in check.beyond(answer).findings[0].message
