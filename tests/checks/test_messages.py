"""What a learner is told: short, plain, and no hint but the right one."""

import math
import statistics
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from helpers import checks
from helpers.checks import order_blind, relative, start_here
from helpers.checks import sinusoidal as check
from helpers.checks.engine.case import refusal
from helpers.checks.engine.compare import difference
from helpers.checks.engine.hints import Written, edited

EXERCISES = [e for u in ("00-start-here", "02-sinusoidal") for e in checks.exercises(u).values()]


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, RuntimeError])
def test_an_answer_that_ends_in_an_error_is_told_which_and_in_what_line(error: Any) -> None:
    def ending(tokens: Tensor) -> Tensor:
        raise error("enough")

    report = start_here.positions(ending)
    assert report.earned == 0 and not report.hints
    first = report.findings[0]
    assert f"your code stops with {error.__name__}: enough" in first.message
    line = ending.__code__.co_firstlineno + 1
    assert first.line == f'line {line}: raise error("enough")'


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
    assert not start_here.positions.is_correct(into_the_buffer)


def test_a_hint_is_given_only_where_every_part_agrees_with_it() -> None:
    exercise = order_blind.attention
    mistake = exercise.mistakes[0]
    assert exercise(mistake.answer).hints == [mistake.hint]

    def like_it_without_a_batch(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        wrong: Tensor = mistake.answer(q, k, v)
        return wrong if q.dim() == 2 else torch.zeros_like(wrong)

    report = exercise(like_it_without_a_batch)
    assert report.earned == 0 and report.hints == []


@pytest.mark.rotating
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
        (lambda n, d, base=0: [[0.0] * d] * n, "found list. Wrap it in torch.tensor"),
        (lambda n, d, base=0: (torch.zeros(n, d), 0), "found tuple. Return the result alone."),
        (lambda n, d, base=0: torch.zeros(d, n), "expected the shape"),
        (lambda n, d, base=0: torch.full((n, d), math.nan), "not a number"),
        (lambda n, d, base=0: math.nan, "found float"),
        (lambda n, d, base=0: [math.nan] * n, "found list. Wrap it in torch.tensor"),
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


def test_a_forgotten_return_is_told_however_the_result_is_looked_at() -> None:
    assert "return missing" in relative.rows(lambda length, k: None).findings[0].message


def test_what_pytorch_cannot_do_is_no_stub() -> None:
    """It raises NotImplementedError for a softmax of whole numbers."""

    def of_integers(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return (q @ k.transpose(-2, -1)).long().softmax(-1) @ v

    report = str(checks.exercises("01-order-blind")["attention"](of_integers))
    assert "Not written yet" not in report and "NotImplementedError" in report


def test_an_array_is_told_from_a_tensor_and_shows_no_numbers() -> None:
    def in_numpy(q: Tensor, k: Tensor, v: Tensor) -> Any:
        weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        return (weights @ v).detach().numpy()

    found = order_blind.attention(in_numpy).findings[-1].message
    assert "found a NumPy array of shape (2, " in found and "in float64" in found

    def in_complex_numbers(tokens: Tensor) -> Tensor:
        return torch.zeros(tokens.shape, dtype=torch.complex64)

    found = start_here.positions(in_complex_numbers).findings[0].message
    assert "in complex64" in found and "tensor([" not in found


@pytest.mark.parametrize("seed", [0, 2, 1234])
def test_who_shuffles_sequences_is_not_told_that_the_measure_is_0(seed: int) -> None:
    def of_sequences(f: Any, x: Tensor, order: Tensor) -> Tensor:
        order = order[order < len(x)]
        return (f(x[order]) - f(x)[order]).abs().max()

    assert order_blind.gap(of_sequences, seed).hints == []


def test_a_result_of_another_form_is_no_error_of_the_code() -> None:
    offsets = checks.exercises("09-claim-lab")["offsets"]
    for answer, words in (
        (lambda table, matrices: [], "expected a dict, found list."),
        (lambda table, matrices: {"verdict": "holds"}, "your dict has no entry ratio."),
    ):
        message = offsets(answer).findings[0].message
        assert words in message and "stops with" not in message


def test_a_text_that_names_every_number_names_none() -> None:
    def action() -> None:
        raise ValueError(" ".join(map(str, range(30))))

    assert not refusal(action, width=7)["its message names width"]


@pytest.mark.parametrize(
    ("found", "right", "told"),
    [
        ([1e-7, 2.0, 3.0], [0.0, 1.0, 3.0], "1 of 3 numbers differ; the first at index [1]: found"),
        ([-math.inf, 2.0], [-math.inf, 1], "1 of 2 numbers differ; the first at index [1]: found"),
        ([math.nan, 2.0], [math.nan, 1], "1 of 2 numbers differ; the first at index [1]: found 2"),
        ([True, False], [True, True], "1 of 2 entries differ; the first at index [1]: found F"),
        (1 + 2**-20, 1.0, "found 1.00000095367431"),
        (0.004, 1.0, "found 0.004, expected 1."),
    ],
)
def test_what_differs_first_is_told_in_plain_numbers(found: Any, right: Any, told: str) -> None:
    assert difference(torch.tensor(found), torch.tensor(right), 1e-4).startswith(told)


def test_a_number_of_another_type_is_shown_as_a_number() -> None:
    assert difference(torch.tensor(3.0), 3, 1e-4) == "found 3 (Tensor), expected 3 (int)."
    assert difference(3, 3.0, 1e-4) == "found 3 (int), expected 3 (float)."
    assert difference("3", 3, 1e-4) == "found '3', expected 3."


def test_what_python_says_of_a_nan_in_statistics_is_explained() -> None:
    report = start_here.positions(lambda tokens: statistics.stdev([1.0, math.nan]))
    assert "(statistics was given a nan or an infinity)" in report.findings[0].message


@pytest.mark.parametrize("deviation", ["0.2", "0.3"])  # at d = 5 that is 1/d, or nearly 1/√D
def test_a_deviation_of_no_width_is_not_told_to_be_one_of_the_width(deviation: str) -> None:
    change = [("/ self.head_dim**0.5", f"* {deviation}")]
    answer = Written("", edited(relative.module.right_answers[0].text, change)).answer
    for seed in range(3):
        report = relative.module(answer, seed)
        assert report.earned < report.points and report.hints == []
