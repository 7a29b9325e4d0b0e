"""Exercise × saboteur: which saboteur loses points, and why another need not.

A saboteur that keeps all points is a hole in the check, unless source/UNIT/equivalent.toml says why
the text of the exercise does not forbid what it does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from helpers.checks.engine import Exercise
from tests.mutants import trial
from tests.saboteurs import saboteurs

CAUGHT, SURVIVED, EXCUSED = "caught", "SURVIVED", "harmless"
SECONDS = 10.0  # of computing, so that none is caught for being slow on a slow machine


@dataclass(frozen=True)
class Row:
    """What became of one saboteur of an exercise's right answer."""

    exercise: str
    saboteur: str
    state: str


def rows(exercise: Exercise, right: Any, excused: Collection[str], seed: int = 0) -> list[Row]:
    """Try every saboteur on a right answer; those that break nothing there are left out.

    Args:
        excused: patterns of the names of saboteurs that may keep all points.
    """
    found = []
    for name, caught in _tried(exercise, right, seed):
        why = any(fnmatchcase(name, pattern) for pattern in excused)
        state = CAUGHT if caught else EXCUSED if why else SURVIVED
        found.append(Row(exercise.name, name, state))
    return found


def _tried(exercise: Exercise, right: Any, seed: int) -> Iterator[tuple[str, bool]]:
    """Each saboteur that broke something, and whether it lost points."""
    exercise.is_correct(right, seed)  # what is right is known from here on, and is in nobody's time
    for name, sabotaged in saboteurs.of(right, partial(exercise.ask, seed=seed)):
        try:
            with trial.limited(SECONDS):
                caught = not exercise.is_correct(sabotaged.answer, seed)
        except trial.TooLongError:
            caught = True
        if sabotaged.broke:
            yield name, caught


def faults(tried: list[Row], excused: Collection[str]) -> list[str]:
    """Return a line for each hole of a check, and for each excuse that no saboteur needs."""
    found = [f"survived: {row.exercise}: {row.saboteur}" for row in tried if row.state == SURVIVED]
    harmless = [row.saboteur for row in tried if row.state == EXCUSED]
    return found + [
        f"no excuse needed: {pattern}"
        for pattern in sorted(excused)
        if not any(fnmatchcase(name, pattern) for name in harmless)
    ]
