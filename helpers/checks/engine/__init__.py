"""What every check is made of: exercises, the comparison of results, and the report on them."""

from helpers.checks.engine.case import (
    Answer,
    Case,
    backward,
    call,
    differentiated,
    digits,
    refusal,
    unchanged,
)
from helpers.checks.engine.exercise import Exercise, Part
from helpers.checks.engine.hints import DTYPE, IN_PLACE, KEPT, NO_GRADIENT, Mistake, Written
from helpers.checks.engine.report import Finding, Report
from helpers.checks.engine.serialize import CheckError

__all__ = [
    "DTYPE",
    "IN_PLACE",
    "KEPT",
    "NO_GRADIENT",
    "Answer",
    "Case",
    "CheckError",
    "Exercise",
    "Finding",
    "Mistake",
    "Part",
    "Report",
    "Written",
    "backward",
    "call",
    "differentiated",
    "digits",
    "refusal",
    "unchanged",
]
