"""A wrong answer that people give, and the hint for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helpers.checks.engine import compare
from helpers.checks.engine.asking import ask
from helpers.checks.engine.case import Answer, Case


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that people give.

    Args:
        answer: the wrong version, able to stand alone in a notebook cell.
        hint: names the mistake and says where to look, without giving the answer.
        loses: names of the parts that it must lose; the others it must keep.
        breaks: words of the sentences in the exercise's text that it does not keep to.
    """

    answer: Answer
    hint: str
    loses: tuple[str, ...]
    breaks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the wrong version, in words."""
        return self.answer.__name__.replace("_", " ")

    def gives(self, pairs: list[tuple[Case, Any]], tolerance: float) -> bool:
        """Whether the wrong version gives these results; what it keeps for later ends here."""
        try:
            return all(
                compare.same(found, ask(case, self.answer), tolerance) for case, found in pairs
            )
        finally:
            _forget(self.answer)


def _forget(answer: Answer) -> None:
    """Empty what a function, or a class's methods, keep from call to call, such as `kept={}`."""
    for each in vars(answer).values() if isinstance(answer, type) else (answer,):
        for default in getattr(each, "__defaults__", None) or ():
            if isinstance(default, dict | list | set):
                default.clear()
        if clear := getattr(each, "cache_clear", None):
            clear()
