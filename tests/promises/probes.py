"""Does a check notice a fault that any answer may have? Saboteurs of the right answer say so."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from helpers.checks.engine import Answer, Exercise, hints
from helpers.checks.engine.hints import Fault
from tests.saboteurs import saboteurs

SABOTEURS: dict[Fault, tuple[str, ...]] = {
    hints.NO_GRADIENT: ("detached", "under no_grad", "through NumPy"),
    hints.DTYPE: ("forced to float32", "forced to float64", "whole numbers as floats"),
    hints.IN_PLACE: ("writes into *",),
    hints.KEPT: ("one tensor for all results", "the first answer for ever", "remembers by shape"),
}


def unnoticed(exercise: Exercise, right: Answer, seed: int = 0) -> Iterator[str]:
    """Yield what the exercise calls a fault of its sentences and neither refuses nor names."""
    tried = dict(saboteurs.of(right))
    for fault in dict.fromkeys(exercise.generic.values()):
        made = [
            each.answer
            for name, each in tried.items()
            if any(fnmatchcase(name, pattern) for pattern in SABOTEURS[fault])
        ]
        if not any(_named(exercise, answer, fault, seed) for answer in made):
            yield f"{exercise.name}: {fault.name}"


def _named(exercise: Exercise, answer: Answer, fault: Fault, seed: int) -> bool:
    """Whether the answer loses points, and is told of the fault."""
    report = exercise(answer, seed)
    return report.earned < report.points and fault.hint in report.hints
