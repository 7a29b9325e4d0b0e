"""What every check is made of: exercises, the comparison of results, and the report on them."""

from helpers.checks.engine.case import (
    Answer,
    ArgumentChangedError,
    Case,
    call,
    differentiated,
    refusal,
    unchanged,
)
from helpers.checks.engine.changed import changed
from helpers.checks.engine.exercise import Answers, Exercise, Mistake, Part
from helpers.checks.engine.report import Finding, Report

__all__ = [
    "Answer",
    "Answers",
    "ArgumentChangedError",
    "Case",
    "Exercise",
    "Finding",
    "Mistake",
    "Part",
    "Report",
    "call",
    "changed",
    "differentiated",
    "refusal",
    "unchanged",
]
