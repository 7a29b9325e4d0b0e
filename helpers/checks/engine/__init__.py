"""What every check is made of: exercises, the comparison of results, and the report on them."""

from helpers.checks.engine.caching import without_caching
from helpers.checks.engine.case import (
    Answer,
    Case,
    call,
    differentiated,
    digits,
    refusal,
    unchanged,
    without_gradients,
)
from helpers.checks.engine.errors import ArgumentChangedError, ResultFormError
from helpers.checks.engine.exercise import Exercise, Part
from helpers.checks.engine.mistake import Mistake, Written
from helpers.checks.engine.report import Finding, Report
from helpers.checks.engine.run import Answers, Questions

__all__ = [
    "Answer",
    "Answers",
    "ArgumentChangedError",
    "Case",
    "Exercise",
    "Finding",
    "Mistake",
    "Part",
    "Questions",
    "Report",
    "ResultFormError",
    "Written",
    "call",
    "differentiated",
    "digits",
    "refusal",
    "unchanged",
    "without_caching",
    "without_gradients",
]
