"""Say what will happen before you run it: predictions are kept in the notebook and never marked.

People who commit to an answer first remember the result better, also where they were wrong
(Mazur 1997, *Peer Instruction*; Crouch et al. 2004).
"""

from __future__ import annotations

import html
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

ANSWER = "application/vnd.order-matters.prediction+json"  # what was chosen, in the cell's output
WRITE = "write your answer between the quotes and run this cell again"
BOX = "border-left: 4px solid currentColor; padding-left: 1em; margin: .5em 0"
_made: dict[str, Prediction] = {}  # by name; the last run of a cell counts
_chosen: dict[str, str] = {}  # by name, where nothing is written


@dataclass(frozen=True)
class Prediction:
    """What was asked and what a learner wrote; an empty `answer` is none.

    Args:
        choices: letter → text; without any, the answer is a number.
        name: by which `outcome` finds it.
    """

    question: str
    choices: Mapping[str, str]
    answer: str | float = ""
    name: str = ""

    @property
    def made(self) -> bool:
        """Whether the answer is one of those that were asked for."""
        if self.choices:
            return self.answer in [*self.choices]
        if isinstance(self.answer, bool) or not isinstance(self.answer, int | float):
            return False
        try:
            return math.isfinite(self.answer)
        except OverflowError:  # a whole number beyond every float
            return False

    @property
    def complaint(self) -> str:
        """What to write instead, where something was written that is no answer."""
        if self.made or self.answer == "":
            return ""
        wanted = f"one of the letters {', '.join(self.choices)}" if self.choices else "a number"
        return f"{self.answer!r} is not an answer to this question: write {wanted}."

    def said(self, answer: str | float) -> str:
        """An answer with the text of its letter."""
        return f"{answer}) {self.choices[str(answer)]}" if self.choices else f"{answer:g}"

    def __repr__(self) -> str:
        rows = [self.question, *(f"  {letter}) {text}" for letter, text in self.choices.items())]
        return "\n".join([*rows, self._state()])

    def _ipython_display_(self) -> None:
        """Show what can be chosen, and below it what was; the question stands in the cell."""
        from IPython.display import display

        from helpers import widgets  # these draw; grading, which reads predictions, does not

        def choose(answer: str) -> None:
            _chosen[self.name] = answer
            _made[self.name] = replace(self, answer=read(answer, self.choices))
            place.update(shown(_made[self.name]), raw=True)

        def shown(made: Prediction) -> dict[str, str]:
            told = f"<b>Your prediction.</b> {html.escape(made._state(how))}"
            box = f'{widgets.AROUND_CHOICES}<div role="status" style="{BOX}">{told}</div>'
            kept = {ANSWER: f"{made.answer}"} if made.made else {}
            return {"text/plain": repr(made), "text/html": box, **kept}

        how = "answer above"
        try:
            widgets.ask(self.choices, f"{self.answer}" if self.made else "", choose)
        except ImportError:
            how = WRITE
        place = display(shown(self), raw=True, display_id=True)

    def _state(self, how: str = WRITE) -> str:
        if self.complaint:
            return self.complaint
        if self.answer == "":
            return f"Nothing predicted yet: {how}."
        return f"You predict {self.said(self.answer)}. Now run on and see."


@dataclass(frozen=True)
class Outcome:
    """What was measured, beside what was predicted."""

    prediction: Prediction
    measured: str | float

    def __repr__(self) -> str:
        asked = self.prediction
        found = f"Measured: {asked.said(self.measured)}."
        if os.environ.get("ORDER_MATTERS_PROFILE") == "dry":  # all trainings end at once
            return f"{found} (The profile `dry` shows only that the code runs.)"
        if not asked.made:
            return f"{found} (You made no prediction.)"
        if asked.choices and asked.answer == self.measured:
            return f"✓ {found} Just as you predicted."
        return f"{found} You predicted {asked.said(asked.answer)}."

    def _repr_html_(self) -> str:
        return f'<div role="status" style="{BOX}">{html.escape(repr(self))}</div>'


def predict(name: str, question: str, answer: str | float = "", **choices: str) -> Prediction:
    """Ask for a prediction; a notebook shows what can be chosen, and then what was.

    Args:
        name: by which `outcome` finds it.
        question: one sentence; with `choices` it may end where these go on.
        answer: a letter of `choices`, or a number where there are none; "" leaves it to be chosen.
        choices: letter → text.
    """
    given = _chosen.get(name, "") if answer == "" else answer
    _made[name] = Prediction(question, choices, read(given, choices), name)
    return _made[name]


def read(answer: Any, choices: Mapping[str, str]) -> Any:
    """An answer as it is meant: "B)" is the letter b, and "12" the number where one is asked."""
    if not isinstance(answer, str):
        return answer
    if choices:
        return answer.strip().lower().rstrip(")")
    try:
        return float(answer)
    except ValueError:
        return answer.strip()


def outcome(name: str, measured: str | float) -> Outcome:
    """What was measured beside what was predicted under `name`.

    Raises:
        KeyError: no cell has asked for such a prediction, or `measured` is none of its letters.
    """
    if name not in _made:
        raise KeyError(f"run the cell with predict({name!r}, …) first")
    asked = _made[name]
    if asked.choices and measured not in asked.choices:
        raise KeyError(f"{name} has the choices {', '.join(asked.choices)}, not {measured!r}")
    return Outcome(asked, measured)
