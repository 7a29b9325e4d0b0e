"""A prediction is shown, kept until its outcome, and never in the way."""

import pytest

from helpers.predict import outcome, predict

CHOICES = {"a": "near the limit", "b": "worse than <none>"}


def test_a_prediction_is_shown_beside_what_was_measured() -> None:
    asked = predict("far", "At 96 tokens the loss is", **CHOICES, answer="B)")
    assert "You predict b) worse than <none>. Now run on and see." in repr(asked)
    assert "worse than &lt;none&gt; ←" in asked._repr_html_()
    assert repr(outcome("far", "b")).startswith("✓ Measured: b) worse than <none>.")
    told = repr(outcome("far", "a"))
    assert told == "Measured: a) near the limit. You predicted b) worse than <none>."
    assert "<none>" not in outcome("far", "a")._repr_html_()


def test_a_number_is_predicted_without_choices() -> None:
    assert "You predict 0.5. Now" in repr(predict("loss", "The loss will be", answer=0.5))
    assert repr(outcome("loss", 0.274)) == "Measured: 0.274. You predicted 0.5."
    predict("loss", "The loss will be", answer=" 12 ")  # between the quotes
    assert repr(outcome("loss", 12)) == "Measured: 12. You predicted 12."


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
