"""Right answers written differently, one module per unit: each must earn full marks."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from helpers.checks import exercises, package
from helpers.checks.engine import Written
from helpers.course import synthetic

Answers = Mapping[str, Written]


def of(unit: str) -> dict[str, list[Written]]:
    """Return the right answers to each exercise of a unit, those that its mistakes change too."""
    module = package(unit).rsplit(".", 1)[1]
    found: Any = importlib.import_module(f"{__name__}.{module}")
    return {
        name: [*map(synthetic.written, found.VARIANTS[name]), *exercise.right_answers]
        for name, exercise in exercises(unit).items()
    }


def in_submissions(unit: str) -> list[Answers]:
    """Every right answer once, one per exercise in each submission."""
    columns = [[(name, answer) for answer in answers] for name, answers in of(unit).items()]
    return [dict(filter(None, row)) for row in zip_longest(*columns)]
