"""The first question of a part is asked twice: what an answer keeps, it shows then."""

from functools import lru_cache, partial
from random import Random
from typing import Any

import pytest
import torch
from torch import Generator, Tensor

from helpers.checks.engine import Answer, Case, call
from helpers.checks.engine.case import without_caching
from helpers.checks.engine.run import forbidden, run_case, run_cases
from helpers.checks.engine.serialize import RESULT_MUTATED

X = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
BUFFER = torch.zeros(2, 2)


def _into_a_buffer(x: Tensor) -> Tensor:
    return BUFFER.copy_(2 * x)


@lru_cache
def _by_number(number: int) -> Tensor:
    return torch.arange(number)


def _asked_of(x: Tensor, answer: Answer) -> Any:
    return answer(x)


def _said(answer: Answer, *arguments: Any) -> Any:
    return run_case(without_caching(call(*arguments)), answer)


def test_what_keeps_nothing_gives_what_it_gives_without() -> None:
    assert torch.equal(_said(lambda x: 2 * x, X), (2 * X).double())
    assert torch.equal(_said(lambda x: x.mT, X), X.mT.double())  # a view of what it was given


@pytest.mark.parametrize(("answer", "given"), [(_into_a_buffer, X), (_by_number, 3)])
def test_one_tensor_for_all_results_is_told(answer: Answer, given: Any) -> None:
    assert _said(answer, given) == RESULT_MUTATED


def test_a_result_that_a_later_question_changes_is_told() -> None:
    """As where an object, which is asked as it is, returns the buffer that it writes into."""
    cases = [Case("", partial(_asked_of, x)) for x in (X, 2 * X)]
    (first, last), _ = run_cases(cases, _into_a_buffer, forbidden([]))
    assert first == RESULT_MUTATED
    assert torch.equal(last, (4 * X).double())


def test_a_result_kept_for_an_object_is_not_what_is_right() -> None:
    kept: dict[int, Tensor] = {}
    found = _said(lambda x: kept.setdefault(id(x), 2 * x).clone(), X)
    assert not torch.equal(found, (2 * X).double())


def test_a_draw_of_the_first_calls_does_not_count() -> None:
    def drawn(x: Tensor, generator: Generator, draw: Random) -> Tensor:
        return torch.rand(2, generator=generator) + torch.rand(2) + draw.random()

    asked = Case("", lambda answer: answer(X, Generator().manual_seed(3), Random(3)))
    assert torch.equal(run_case(without_caching(asked), drawn), run_case(asked, drawn))
