"""What every check is made of: exercises, the comparison of results, and the report on them."""

from helpers.checks.engine.changed import changed
from helpers.checks.engine.exercise import Answer, Answers, Case, Exercise, Mistake, Part, call
from helpers.checks.engine.report import Finding, Report

__all__ = [
    "Answer",
    "Answers",
    "Case",
    "Exercise",
    "Finding",
    "Mistake",
    "Part",
    "Report",
    "call",
    "changed",
]
