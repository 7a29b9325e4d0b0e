"""Unit 02's module: an error of one's own is as good."""

from helpers.checks import sinusoidal
from helpers.checks.engine import Written
from helpers.checks.engine.mistake import edited


def test_a_subclass_of_value_error_is_one() -> None:
    [right] = sinusoidal.module.right_answers
    own = "class TooLongError(ValueError):\n    pass\n\n\n"
    text = own + edited(right.text, [("raise ValueError", "raise TooLongError")])
    assert sinusoidal.module(Written("with an error of its own", text).answer).complete
