"""Grades what an answer said to an exercise's cases: the points of each part, messages and a hint.

A hint is given only where a known mistake gives the learner's results in every part: where only
some parts agree, it may name what the learner did not do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from helpers.checks.engine import compare
from helpers.checks.engine.case import Case
from helpers.checks.engine.errors import ArgumentChangedError, ResultFormError, SettingChangedError
from helpers.checks.engine.faults import fault_in
from helpers.checks.engine.mistake import Mistake
from helpers.checks.engine.report import STUB, Finding
from helpers.checks.engine.run import RESULT_MUTATED
from helpers.checks.engine.serialize import CapturedException

if TYPE_CHECKING:
    from helpers.checks.engine.exercise import Part


@dataclass(frozen=True)
class PartResult:
    """What an answer and the reference gave in one part.

    Args:
        answer_name: the learner's name for the answer.
        found: for each case, a plain value or `CapturedException`.
        expected: the same of the reference.
        used: library functions that the answer may not call.
        tolerance: see `compare.same`.
    """

    part: Part
    answer_name: str
    cases: list[Case]
    found: list[Any]
    expected: list[Any]
    used: list[str]
    tolerance: float

    @property
    def wrong(self) -> list[int]:
        """Indices of the cases that differ."""
        pairs = zip(self.found, self.expected, strict=True)
        return [i for i, pair in enumerate(pairs) if not compare.same(*pair, self.tolerance)]


def grade(results: Sequence[PartResult], mistakes: Sequence[Mistake]) -> list[Finding]:
    """Return a finding for each part."""
    wrong = {result.part.name for result in results if result.wrong}
    hint = _hint(results, mistakes, wrong) if wrong else ""
    return [_finding(result, hint) for result in results]


def _hint(results: Sequence[PartResult], mistakes: Sequence[Mistake], wrong: set[str]) -> str:
    """Return the hint of the first mistake that gives all results; "" if none does."""
    wrong_first = sorted(results, key=lambda result: result.part.name not in wrong)
    pairs = [pair for each in wrong_first for pair in zip(each.cases, each.found, strict=True)]
    for mistake in mistakes:
        # Those that lose other parts need not be asked.
        if wrong == {*mistake.loses} and mistake.gives(pairs, results[0].tolerance):
            return mistake.hint
    return ""


def _finding(result: PartResult, hint: str) -> Finding:
    part, wrong = result.part, result.wrong
    if result.used:
        return Finding(part.name, part.points, 0, _not_allowed(result.used))
    if not wrong:
        return Finding(part.name, part.points, part.points)
    found, expected = result.found[wrong[0]], result.expected[wrong[0]]
    # PyTorch raises the same for what it cannot do, but never without a text.
    if found == CapturedException("NotImplementedError", ""):
        return Finding(part.name, part.points, 0, STUB)
    label = result.cases[wrong[0]].label
    asked = f"{result.answer_name}{label}" if label.startswith("(") else label
    message = f"{asked}: {_difference(found, expected, result.tolerance)}"
    if not hint and (fault := fault_in(found, expected, result.tolerance)):
        hint = fault.hint
    line = found.line if isinstance(found, CapturedException) else ""
    return Finding(part.name, part.points, 0, message, hint, line)


def _difference(found: Any, expected: Any, tolerance: float) -> str:
    if found == RESULT_MUTATED:
        return (
            "a later call of your function changes this result, or returns the same object: "
            "return a new one each time."
        )
    match found:
        case CapturedException(kind=ArgumentChangedError.kind):
            return f"your function changes its argument {found.text}".rstrip() + ": work on a copy."
        case CapturedException(kind=ResultFormError.kind):
            return f"{found.text}."
        case CapturedException(kind=SettingChangedError.kind):
            return f"your function changes a setting ({found.text}) and does not restore it."
        case CapturedException():
            return found.message()
    return compare.difference(found, expected, tolerance)


def _not_allowed(used: list[str]) -> str:
    return (
        f"This calls {', '.join(used[:3])}, which is not allowed here. In practice you would do "
        "just that; here the points are for your own code."
    )
