"""Faults that any answer may have: the engine finds them, and has one hint for each."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, call, differentiated, hints
from helpers.checks.engine.case import without_caching
from helpers.checks.engine.hints import Fault
from helpers.checks.engine.run import run_case
from helpers.checks.engine.serialize import decode, encode
from tests.checks.toy import TOY, X

KEPT: dict[int, Tensor] = {}


def _kept(x: Tensor) -> Tensor:
    return KEPT.setdefault(0, torch.empty_like(x)).copy_(2 * x)


def _switched(x: Tensor) -> Tensor:
    torch.set_default_dtype(torch.float64)
    return 2 * x


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (lambda x: (2 * x).detach(), hints.NO_GRADIENT),
        (torch.no_grad()(lambda x: 2 * x), hints.NO_GRADIENT),
        (lambda x: torch.from_numpy(2 * x.numpy()), hints.NO_GRADIENT),
        (lambda x: 2 * x.float(), hints.DTYPE),
        (lambda x: x.mul_(2), hints.IN_PLACE),
        (_kept, hints.KEPT),
        (_switched, hints.SWITCHED),
    ],
)
def test_a_fault_of_any_exercise_has_the_hint_of_the_engine(answer: Answer, fault: Fault) -> None:
    report = replace(TOY, module="")(answer)
    assert report.earned < report.points
    assert report.hints == [fault.hint]


def _by_row(x: Tensor) -> Tensor:
    for row in x:
        row *= 2
    return x


@pytest.mark.parametrize("answer", [_by_row, lambda x: x.mul_(2)])
def test_an_argument_that_is_to_get_a_gradient_is_named_like_any_other(answer: Answer) -> None:
    found = run_case(differentiated(x=X), answer)
    assert found.message() == "your function changes its argument number 1: work on a copy."


def test_who_writes_into_a_leaf_of_its_own_is_not_told_that_it_is_an_argument() -> None:
    def answer(x: Tensor) -> Tensor:
        own = torch.zeros_like(x).requires_grad_()
        own += 2 * x
        return own

    report = replace(TOY, module="")(answer)
    assert "a leaf Variable that requires grad" in report.findings[1].message
    assert report.hints == [hints.REFUSED_WRITE.hint]


def test_a_wrong_number_is_no_such_fault() -> None:
    assert TOY(lambda x: 5 * x).hints == []


def test_a_wrong_gradient_is_not_cut_off_because_it_is_0_somewhere() -> None:
    def bent(x: Tensor) -> Tensor:
        return 2 * x - x.square() + x.square().detach()  # its gradient is 2 - 2x

    report = replace(TOY, module="")(bent)
    assert report.earned == 1 and report.hints == []


def test_the_hint_of_a_mistake_goes_before_that_of_the_engine() -> None:
    assert TOY(lambda x: (2 * x).detach()).hints == ["Here it is detach."]


def test_an_error_is_not_known_by_the_name_of_its_class() -> None:
    """A learner's class may have any name, and the engine's own errors are known all the same."""

    class CheckError(Exception):
        pass

    def stopping(x: Tensor) -> Tensor:
        raise CheckError("my own")

    report = TOY(stopping)
    assert "your code stops with CheckError: my own" in report.findings[0].message
    assert report.hints == []


def test_a_fault_is_found_in_what_another_process_said() -> None:
    answers = TOY.ask(lambda x: x.mul_(2), 0)
    sent = {part: [decode(encode(each)) for each in said] for part, said in answers.found.items()}
    assert TOY.grade(replace(answers, found=sent), 0).hints == [hints.IN_PLACE.hint]


def _told_backwards(case: Case) -> Case:
    return replace(case, read=lambda found: -found)


@pytest.mark.parametrize("wrapped", [without_caching, lambda case: case.map(torch.square)])
def test_a_case_that_is_wrapped_is_read_as_before(wrapped: Callable[[Case], Case]) -> None:
    assert torch.equal(wrapped(_told_backwards(call(X))).read(X), -X)
