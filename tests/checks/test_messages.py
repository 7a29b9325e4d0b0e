"""What a learner is told: short, plain, and no hint but the right one."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from helpers import checks
from helpers.checks import order_blind, start_here
from helpers.checks import sinusoidal as check
from helpers.checks.engine import Finding, Report

EXERCISES = [e for u in ("00-start-here", "02-sinusoidal") for e in checks.exercises(u).values()]


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, RuntimeError])
def test_an_answer_that_ends_in_an_error_is_told_which_and_in_what_line(error: Any) -> None:
    def ending(tokens: Tensor) -> Tensor:
        raise error("enough")

    report = start_here.positions(ending)
    assert report.earned == 0 and not report.hints
    told = f"your code stops with {error.__name__}, in the line “raise error("
    assert told in report.findings[0].message
    assert "enough" in report.findings[0].message


def test_a_reference_that_fails_makes_nobody_right() -> None:
    def failing(tokens: Tensor) -> Tensor:
        raise ValueError("no")

    broken = replace(start_here.positions, reference=failing)
    with pytest.raises(RuntimeError, match="the course's own answer to “positions” stopped"):
        broken(failing)


def test_one_buffer_for_all_results_is_told() -> None:
    buffer = torch.empty(9000, dtype=torch.int64)

    def into_the_buffer(tokens: Tensor) -> Tensor:
        out = buffer[: tokens.numel()].view(tokens.shape)
        return out.copy_(torch.arange(tokens.shape[1]))

    report = start_here.positions(into_the_buffer)
    assert report.earned == 0
    assert "a later call of your function changes this result" in report.findings[0].message


def test_a_hint_is_given_only_where_every_part_agrees_with_it() -> None:
    exercise = order_blind.attention
    mistake = exercise.mistakes[0]
    assert exercise(mistake.answer).hints == [mistake.hint]

    def like_it_without_a_batch(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        wrong: Tensor = mistake.answer(q, k, v)
        return wrong if q.dim() == 2 else torch.zeros_like(wrong)

    report = exercise(like_it_without_a_batch)
    assert report.earned == 0 and report.hints == []


def test_messages_stay_short_whatever_comes_back() -> None:
    for found in ([0.5] * 10_000, "x" * 9_000, {"a": torch.zeros(9, 9)}, [torch.zeros(99)] * 99):
        for exercise in EXERCISES:
            for finding in exercise(lambda *_a, _found=found, **_k: _found).findings:
                assert len(finding.message) < 500, finding.message


class _EqualToAll(torch.Tensor):
    """Answers True to every comparison."""

    def __eq__(self, other: object) -> Any:
        return True

    @classmethod
    def __torch_function__(cls, *_arguments: Any, **_options: Any) -> Any:
        return True


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda n, d, base=0: None, "return missing"),
        (lambda n, d, base=0: [[0.0] * d] * n, "found list"),
        (lambda n, d, base=0: torch.zeros(d, n), "expected the shape"),
        (lambda n, d, base=0: torch.full((n, d), math.nan), "not a number"),
        (lambda n, d, base=0: torch.zeros(n, d), "the first at index [0, 1]"),
        (lambda n, d, base=0: torch.zeros(n, d, dtype=torch.complex64), "real numbers"),
        (lambda n, d, base=0: np.array([object()] * d), "found ndarray"),
        (lambda n, d, base=0: torch.zeros(n, d).as_subclass(_EqualToAll), "found _EqualToAll"),
        (lambda n, d, base=0: [][0], "IndexError: list index out of range"),
        (lambda n: n, "TypeError"),
    ],
)
def test_whatever_comes_back_gets_a_plain_sentence(answer: Any, words: str) -> None:
    report = check.table(answer)
    assert report.earned == 0
    assert words in report.findings[0].message


def test_a_report_escapes_what_the_learner_wrote() -> None:
    wrong = [Finding(name, 1, 0, "<script>alert(1)</script>", "<i>hint</i>") for name in "ab"]
    page = Report("any", wrong)._repr_mimebundle_()["text/html"]
    assert "<script>" not in page
    assert "<i>" not in page
    assert page.count("hint") == str(Report("any", wrong)).count("hint") == 1  # told once
    assert "✗ a" in str(Report("any", wrong))
