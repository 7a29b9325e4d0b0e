"""A prediction is chosen below its cell, kept until its outcome, and never in the way."""

import sys
from collections.abc import Iterator
from typing import Any

import IPython
import pytest

from helpers import predict as module
from helpers import widgets
from helpers.predict import ANSWER, outcome, predict
from tests.test_widgets import Notebook, widget_of

CHOICES = {"a": "near the limit", "b": "worse than <none>"}


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """What a notebook shows."""
    shown = Notebook()
    monkeypatch.setattr(widgets, "display", shown.display)
    monkeypatch.setattr(IPython.display, "display", shown.display)
    yield shown.outputs
    module._chosen.clear()


def test_what_is_chosen_stands_beside_what_was_measured(outputs: list[dict[str, Any]]) -> None:
    predict("far", "At 96 tokens the loss is", **CHOICES)._ipython_display_()
    assert "Nothing predicted yet" in outputs[1]["text/html"] and ANSWER not in outputs[1]
    assert "At 96 tokens" not in outputs[1]["text/html"]  # it stands in the cell
    widget_of(outputs[0]).value = "b"
    assert "You predict b) worse than &lt;none&gt;. Now run on" in outputs[1]["text/html"]
    assert outputs[1][ANSWER] == "b" and len(outputs) == 2
    assert repr(outcome("far", "b")).startswith("✓ Measured: b) worse than <none>.")
    told = repr(outcome("far", "a"))
    assert told == "Measured: a) near the limit. You predicted b) worse than <none>."
    assert "<none>" not in outcome("far", "a")._repr_html_()


def test_a_dry_run_calls_nothing_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "dry")
    predict("far", "At 96 tokens the loss is", answer="a", **CHOICES)
    told = repr(outcome("far", "a"))
    assert told == "Measured: a) near the limit. (The profile `dry` shows only that the code runs.)"


def test_what_was_chosen_stays_when_the_cell_is_run_again_until_something_is_written(
    outputs: list[dict[str, Any]],
) -> None:
    predict("far", "The loss is", **CHOICES)._ipython_display_()
    widget_of(outputs[0]).value = "b"
    del outputs[:]
    predict("far", "The loss is", **CHOICES)._ipython_display_()
    assert widget_of(outputs[0]).value == outputs[1][ANSWER] == "b"
    del outputs[:]
    predict("far", "The loss is", **CHOICES, answer="A)")._ipython_display_()
    assert widget_of(outputs[0]).value == outputs[1][ANSWER] == "a"


def test_a_number_is_typed_below_or_written(outputs: list[dict[str, Any]]) -> None:
    predict("loss", "The loss will be")._ipython_display_()
    widget_of(outputs[0]).value = "much"
    assert "write a number" in outputs[1]["text/html"] and ANSWER not in outputs[1]
    widget_of(outputs[0]).value = "0.5"
    assert "You predict 0.5. Now" in outputs[1]["text/html"] and outputs[1][ANSWER] == "0.5"
    assert repr(outcome("loss", 0.274)) == "Measured: 0.274. You predicted 0.5."
    predict("loss", "The loss will be", answer=" 12 ")  # between the quotes
    assert repr(outcome("loss", 12)) == "Measured: 12. You predicted 12."


def test_without_ipywidgets_the_answer_is_written(
    outputs: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    predict("far", "The loss is", **CHOICES)._ipython_display_()
    (told,) = outputs
    assert "write your answer between the quotes" in told["text/html"]


def test_nobody_has_to_predict() -> None:
    assert "Nothing predicted yet" in repr(predict("far", "The loss is", **CHOICES, answer=""))
    assert repr(outcome("far", "a")).endswith("(You made no prediction.)")


@pytest.mark.parametrize(
    ("answer", "choices", "wanted"),
    [
        ("z", CHOICES, "'z' is not an answer to this question: write one of the letters a, b."),
        (3, CHOICES, "3 is not"),
        ("much", {}, "write a number"),
        ("nan", {}, "write a number"),
        (True, {}, "True is not"),
        ([1], CHOICES, "[1] is not"),
    ],
)
def test_another_answer_is_told_what_to_write_and_counts_as_none(
    answer: str, choices: dict[str, str], wanted: str
) -> None:
    assert wanted in repr(predict("far", "The loss is", answer, **choices))
    assert "no prediction" in repr(outcome("far", "a" if choices else 1.0))


def test_the_last_run_of_a_cell_counts_and_authors_are_told_their_mistakes() -> None:
    predict("far", "The loss is", **CHOICES, answer="a")
    predict("far", "The loss is", **CHOICES, answer="b")
    assert "You predicted b" in repr(outcome("far", "a"))
    with pytest.raises(KeyError, match="not 'c'"):
        outcome("far", "c")
    with pytest.raises(KeyError, match=r"run the cell with predict\('near'"):
        outcome("near", "a")
