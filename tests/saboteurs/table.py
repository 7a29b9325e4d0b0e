"""Exercise × saboteur: which saboteur loses points, and why another need not.

A saboteur that keeps all points is a hole in the check, unless source/UNIT/equivalent.toml says why
the text of the exercise does not forbid what it does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from typing import Any

from helpers.checks.engine import Exercise
from tests.mutants import trial
from tests.saboteurs import saboteurs

SECONDS = 10.0  # of computing, so that none is caught for being slow on a slow machine


def tried(exercise: Exercise, right: Any, seed: int = 0) -> dict[str, bool]:
    """Try every saboteur on a right answer; return which of those that break something lose points.

    By its name: whether it does.
    """
    exercise.is_correct(right, seed)  # what is right is known from here on, and is in nobody's time
    found = {}
    for name, sabotaged in saboteurs.of(right):
        try:
            with trial.limited(SECONDS):
                caught = not exercise.is_correct(sabotaged.answer, seed)
        except trial.TooLongError:
            caught = True
        if sabotaged.broke:
            found[name] = caught
    return found


def faults(tried: Mapping[str, bool], excused: Collection[str]) -> list[str]:
    """Return a line for each hole of a check, and for each excuse that no saboteur needs.

    Args:
        tried: which saboteurs lose points. excused: patterns of the names of those that need not.
    """
    kept = [name for name, caught in tried.items() if not caught]
    holes = [name for name in kept if not any(fnmatchcase(name, each) for each in excused)]
    needless = [each for each in sorted(excused) if not any(fnmatchcase(n, each) for n in kept)]
    return [f"survived: {name}" for name in holes] + [f"no excuse needed: {n}" for n in needless]
