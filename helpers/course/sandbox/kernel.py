"""What grading runs in a learner's kernel: questions to an answer.

Nothing that comes from here is believed: answers are judged in another process.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from IPython.display import publish_display_data

from helpers.checks.engine import Exercise
from helpers.checks.engine.plain import decode, encode
from helpers.checks.engine.run import Answers

ANSWERS = "application/vnd.order-matters.answers+json"
LONGEST = 200  # characters of a name


def ask(module: str, exercise: str, seed: int, answer: Callable[..., Any]) -> None:
    """Publish what `answer` returns for the questions of an exercise.

    Args:
        module: of the unit's checks.
        seed: draws the questions.
    """
    asked: Exercise = getattr(importlib.import_module(module), exercise)
    publish_display_data({ANSWERS: to_json(asked.ask(answer, seed))})


def to_json(answers: Answers) -> dict[str, Any]:
    """Return answers as JSON; `from_json` reads them."""
    found = {part: [encode(each) for each in values] for part, values in answers.found.items()}
    return {"name": str(answers.name)[:LONGEST], "found": found, "used": answers.used}


def from_json(data: Any, asked: Mapping[str, int]) -> Answers:
    """Return the answers in `data`, which a learner may have made up.

    Args:
        asked: how many questions, by part.

    Raises:
        ValueError: they are not answers to so many questions.
    """
    try:
        found = {part: [decode(each) for each in values] for part, values in data["found"].items()}
        used = {part: [str(each)[:LONGEST] for each in data["used"][part]] for part in found}
        name = str(data["name"])[:LONGEST]
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not the form of an answer: {error}") from error
    if {part: len(values) for part, values in found.items()} != asked:
        raise ValueError("not an answer to each question")
    return Answers(name, found, used)
