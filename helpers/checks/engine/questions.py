"""What an exercise asks an answer: drawn where the right answers are, and asked without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helpers.checks.engine.asking import Ask, ask_all, silent
from helpers.checks.engine.case import Answer
from helpers.checks.engine.library import Forbidden, library_calls


@dataclass(frozen=True)
class Answers:
    """What an answer said.

    Args:
        name: the learner's name for it.
        found: for each part, a plain value or `Raised` per question.
        used: for each part, the library functions that it called, of those it may not.
    """

    name: str
    found: dict[str, list[Any]]
    used: dict[str, list[str]]


@dataclass(frozen=True)
class Questions:
    """The questions of an exercise by part, and what the answer may not call."""

    exercise: str
    parts: dict[str, list[Ask]]
    forbidden: Forbidden

    def ask(self, answer: Answer) -> Answers:
        """What `answer` says to all of them."""
        answers = Answers(getattr(answer, "__name__", self.exercise), {}, {})
        for part in self.parts:
            self.ask_part(part, answer, answers)
        return answers

    def ask_part(self, part: str, answer: Answer, answers: Answers) -> None:
        """Add what `answer` says to the questions of one part."""
        with silent():
            with library_calls(self.forbidden) as called:
                answers.found[part] = ask_all(self.parts[part], answer)
            answers.used[part] = sorted(called)
