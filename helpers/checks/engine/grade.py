"""Judges what an answer said: the points of each part, what differs, and a hint.

A mistake's hint is given only where it gives the learner's results in every part: where only some
parts agree, it may name what the learner did not do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from helpers.checks.engine import compare
from helpers.checks.engine.case import Case
from helpers.checks.engine.faults import fault_in
from helpers.checks.engine.report import STUB, Finding
from helpers.checks.engine.run import Answers, read
from helpers.checks.engine.serialize import CapturedException

if TYPE_CHECKING:
    from helpers.checks.engine.exercise import Exercise

Cases = Mapping[str, Sequence[Case]]  # by part


def grade(
    exercise: Exercise, answers: Answers, drawn: Cases, expected: Mapping[str, list[Any]]
) -> list[Finding]:
    """Return a finding for each part.

    Args:
        drawn: the cases of each part.
        expected: what the reference said to them.
    """
    found: dict[str, list[Any]] = {}
    wrong: dict[str, int] = {}  # the first case that differs, of the parts that are not right
    for name, cases in drawn.items():
        found[name] = [read(*pair) for pair in zip(cases, answers.found[name], strict=True)]
        for place, pair in enumerate(zip(found[name], expected[name], strict=True)):
            if not compare.same(*pair, exercise.tolerance):
                wrong.setdefault(name, place)
    hint = _hint(exercise, drawn, found, wrong) if wrong else ""
    findings = []
    for part in exercise.parts:
        name = part.name
        if used := answers.used[name]:
            findings.append(Finding(name, part.points, 0, _not_allowed(used)))
        elif name not in wrong:
            findings.append(Finding(name, part.points, part.points))
        else:
            place = wrong[name]
            label = drawn[name][place].label
            asked = f"{answers.name}{label}" if label.startswith("(") else label
            two = found[name][place], expected[name][place]
            said = _told(asked, *two, exercise.tolerance, hint)
            findings.append(Finding(name, part.points, 0, *said))
    return findings


def _hint(
    exercise: Exercise, drawn: Cases, found: Mapping[str, Any], wrong: Mapping[str, int]
) -> str:
    """Return the hint of the first mistake that gives all results; "" if none does."""
    wrong_first = sorted(drawn, key=lambda name: name not in wrong)
    pairs = [pair for name in wrong_first for pair in zip(drawn[name], found[name], strict=True)]
    for mistake in exercise.mistakes:
        # Those that lose other parts need not be asked.
        if wrong.keys() == {*mistake.loses} and mistake.gives(pairs, exercise.tolerance):
            return mistake.hint
    return ""


def _told(
    asked: str, found: Any, expected: Any, tolerance: float, hint: str
) -> tuple[str, str, str]:
    """Return what is said of the first case that differs: message, hint, and line of the code."""
    # PyTorch raises the same for what it cannot do, but never without a text.
    if found == CapturedException("NotImplementedError", ""):
        return STUB, "", ""
    if not hint and (fault := fault_in(found, expected, tolerance)):
        hint = fault.hint
    if isinstance(found, CapturedException):
        return f"{asked}: {found.message()}", hint, found.line
    return f"{asked}: {compare.difference(found, expected, tolerance)}", hint, ""


def _not_allowed(used: list[str]) -> str:
    return (
        f"This calls {', '.join(used[:3])}, which is not allowed here. In practice you would do "
        "just that; here the points are for your own code."
    )
