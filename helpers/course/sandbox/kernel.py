"""What grading runs in a learner's kernel: questions to an answer, and a look at what was replaced.

Nothing that comes from here is believed: answers are judged in another process.
"""

from __future__ import annotations

import builtins
import importlib
import math
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import torch
from IPython.display import publish_display_data

from helpers.checks.engine.exercise import Answers, Exercise
from helpers.checks.engine.plain import decode, encode

MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE; other types are compiled into Python or a library
ANSWERS = "application/vnd.order-matters.answers+json"
# The kernel itself puts these in their places.
_EXPECTED = {"builtins.input", "builtins.print", "builtins.exit", "builtins.quit"}
_EXPECTED |= {"torch.manual_seed"}  # torch's compiler, when it is first imported


def ask(module: str, exercise: str, answer: Callable[..., Any], seed: int) -> None:
    """Publish what `answer` says to the questions of an exercise, and what has been replaced."""
    asked: Exercise = getattr(importlib.import_module(module), exercise)
    said = to_json(asked.ask(answer, seed)) | {"replaced": replaced()}
    publish_display_data({ANSWERS: said})


def look() -> None:
    """Publish what has been replaced."""
    publish_display_data({ANSWERS: {"replaced": replaced()}})


def exact(value: Any) -> Any:
    """The value, of a type of Python's or a library's, which nobody made to be equal to others.

    Raises:
        TypeError: it is of a type of the notebook's own.
    """
    if type(value) in (list, tuple, set, frozenset):
        for each in value:
            exact(each)
    elif type(value) is dict:
        exact([*value, *value.values()])
    kind = type(value)
    if not _is_librarys(kind):
        raise TypeError(f"an answer of the type {kind.__name__} cannot be compared")
    return value


def _is_librarys(kind: type) -> bool:
    """Whether it is what its module has under its name: a class can say that it is of any."""
    if not kind.__flags__ & MADE_BY_PYTHON:
        return True
    home = None if kind.__module__ in ("__main__", "unittest.mock") else kind.__module__
    found: Any = sys.modules.get(home or "")
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


def to_json(answers: Answers) -> dict[str, Any]:
    """Answers as JSON; `from_json` reads them."""
    found = {part: [encode(each) for each in said] for part, said in answers.found.items()}
    return {"name": str(answers.name)[:200], "found": found, "used": answers.used}


def from_json(data: Any, exercise: Exercise, seed: int) -> Answers:
    """The answers in `data`, which a learner may have made up.

    Raises:
        ValueError: they are not answers to the questions of this exercise.
    """
    try:
        found = {part: [decode(each) for each in said] for part, said in data["found"].items()}
        used = {part: [str(each)[:200] for each in data["used"][part]] for part in found}
        name = str(data["name"])[:200]
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not the form of an answer: {error}") from error
    asked = {part.name: len(exercise.draw(part, seed)) for part in exercise.parts}
    if {part: len(said) for part, said in found.items()} != asked:
        raise ValueError("not an answer to each question")
    return Answers(name, found, used)


def _parts(place: str, holder: Any) -> Iterator[tuple[str, Any, str, Any]]:
    """Functions and classes of a module or class: full name, holder, name, value."""
    for name, value in list(vars(holder).items()):
        if callable(value) or isinstance(value, staticmethod | classmethod | property):
            yield f"{place}.{name}", holder, name, value


def _all_parts() -> Iterator[tuple[str, Any, str, Any]]:
    ours = [
        m for n, m in sys.modules.items() if n.startswith("helpers.") and isinstance(m, ModuleType)
    ]
    modules = [builtins, math, torch, torch.nn.functional, torch.linalg, np, *ours]
    for module in modules:
        for part in _parts(module.__name__, module):
            yield part
            value = part[3]
            if isinstance(value, type) and value.__module__ == module.__name__ and module in ours:
                yield from _parts(f"{module.__name__}.{value.__name__}", value)
    for kind in (torch.Tensor, torch.nn.Module):
        yield from _parts(f"torch.{kind.__name__}", kind)


# Taken before the kernel runs a line of anybody's.
_BEFORE = [part for part in _all_parts() if part[0] not in _EXPECTED]


def replaced() -> list[str]:
    """Names of functions of Python, torch or the helpers that are not what they were."""
    return [place for place, holder, name, value in _BEFORE if vars(holder).get(name) is not value]
