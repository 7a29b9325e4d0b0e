"""Right answers written differently, one module per unit: each must earn full marks."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from itertools import zip_longest

from helpers.checks import exercises, package
from helpers.checks.engine import Written
from helpers.course import synthetic

Answers = Mapping[str, Written]


def of(unit: str) -> dict[str, list[Written]]:
    """Return the right answers to each exercise of a unit, those that its mistakes change too.

    What begins with the name of an exercise answers it: `table_in_numpy` answers `table`.
    """
    module = importlib.import_module(f"{__name__}.{package(unit).rsplit('.', 1)[1]}")
    found: dict[str, list[Written]] = {name: [] for name in exercises(unit)}
    for name, answer in vars(module).items():
        if getattr(answer, "__module__", "") == module.__name__ and not name.startswith("_"):
            [exercise] = [each for each in found if name.startswith(f"{each}_")]
            found[exercise].append(synthetic.written(answer))
    return {name: [*found[name], *each.right_answers] for name, each in exercises(unit).items()}


def in_submissions(unit: str) -> list[Answers]:
    """Every right answer once, one per exercise in each submission."""
    columns = [[(name, answer) for answer in answers] for name, answers in of(unit).items()]
    return [dict(filter(None, row)) for row in zip_longest(*columns)]
