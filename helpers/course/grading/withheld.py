"""What of the course a learner's kernel does not have until its exercises have been asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import CodeType
from typing import Any

from helpers.checks.engine import Exercise
from helpers.checks.engine.library import forbidden
from helpers.course.sandbox import lent


class Withheld:
    """Of one notebook; `exercises` are those that it will be asked."""

    def __init__(self, exercises: Mapping[str, Exercise]) -> None:
        self.waiting = dict(exercises)

    @property
    def names(self) -> list[str]:
        """What is withheld of the library."""
        return _names(
            each
            for exercise in self.waiting.values()
            for each in (exercise.reference, *exercise.forbidden)
        )

    def after(self, exercise: str) -> list[str]:
        """What need be withheld no longer, now that `exercise` has been asked."""
        before = self.names
        self.waiting.pop(exercise, None)
        still = self.names
        return [each for each in before if each not in still]

    def has(self, codes: Iterable[CodeType]) -> bool:
        """Whether some of it answers an exercise that has not been asked."""
        waiting = self.waiting.values()
        places = forbidden(a for each in waiting for a in (each.reference, *each.forbidden)).places
        return any((code.co_filename, code.co_firstlineno) in places for code in codes)


def _names(answers: Iterable[Callable[..., Any]]) -> list[str]:
    return [each for each in dict.fromkeys(map(lent.name, answers)) if each]
