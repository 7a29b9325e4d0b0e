"""Every saboteur loses points, wherever the text forbids what it does."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from torch import Tensor, nn

from helpers.checks import order_blind
from helpers.course.settings import Course
from tests.common import SAMPLE
from tests.mutants import trial
from tests.saboteurs import saboteurs, table

UNIT = "01-order-blind"


@pytest.mark.parametrize("unit", SAMPLE)
def test_no_saboteur_keeps_all_points(course: Course, unit: str) -> None:
    assert table.faults(list(table.rows(course, unit)), unit) == []


def test_a_check_that_asks_less_lets_saboteurs_survive(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    attention = order_blind.attention
    without = tuple(part for part in attention.parts if part.name != "dtype and gradients")
    monkeypatch.setattr(order_blind, "attention", replace(attention, parts=without))
    found = table.faults(list(table.rows(course, UNIT)), UNIT)
    assert "survived: attention: detached" in found
    assert "survived: attention: forced to float64" in found


@pytest.mark.parametrize("unit", ["00-start-here", "02-sinusoidal"])
def test_no_saboteur_that_breaks_something_is_left_out(course: Course, unit: str) -> None:
    """The scout finds all those that are found where each is tried."""
    for solution in trial.solutions(course, unit):
        exercise, right = solution.check.known(), solution.answer()
        broke = set()
        for name, sabotaged in saboteurs.of(right):
            exercise.ask(sabotaged.answer, 0)
            broke |= {name} if sabotaged.broke else set()
        assert broke <= {name for name, _ in saboteurs.of(right, partial(exercise.ask, seed=0))}


def test_an_excuse_that_nothing_needs_is_a_fault(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    excuses = {"masks": [{"why": "?", "saboteurs": ["a constant"]}]}
    real = table.harmless(UNIT)
    monkeypatch.setattr(table, "harmless", lambda _unit: real | excuses)
    found = table.faults(list(table.rows(course, UNIT)), UNIT)
    assert found == ["no excuse needed: masks: a constant"]


class _Scaled(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return self.scale * x


def test_what_saboteurs_do_to_a_module() -> None:
    made = dict(saboteurs.of(_Scaled))
    x = torch.randn(2, 3, 4, requires_grad=True)
    right = _Scaled(4)(x)
    assert not made["detached"].answer(4).forward(x).requires_grad
    cut = made["a parameter gets no gradient"].answer(4)
    cut.forward(x).sum().backward()
    assert cut.scale.grad is None and isinstance(cut.scale, nn.Parameter)
    assert not list(made["parameters as buffers"].answer(4).parameters())
    assert torch.equal(made["ignores x"].answer(4).forward(x), torch.zeros_like(right))
    off = made["a little off"].answer(4).forward(x)
    assert torch.allclose(off, right, rtol=0.01) and not torch.equal(off, right)
    assert all(sabotaged.broke for name, sabotaged in made.items() if name in ("ignores x",))
    assert not made["buffers as parameters"].broke
