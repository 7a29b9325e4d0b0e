"""Exercise × saboteur: which saboteur loses points, and why another need not.

A saboteur that keeps all points is a hole in the check, unless `harmless/` says why the text of
the exercise does not forbid what it does.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from helpers.checks import package
from helpers.checks.engine import Exercise
from tests.mutants import trial
from tests.saboteurs import saboteurs

HARMLESS = Path(__file__).with_name("harmless")
SECONDS = 10.0  # of computing, so that none is caught for being slow on a slow machine


def survivors(exercise: Exercise, right: Any, seed: int = 0) -> Iterator[str]:
    """Yield the saboteurs of a right answer that break something and keep all points."""
    exercise.is_correct(right, seed)  # what is right is known from here on, and is in nobody's time
    for name, sabotaged in saboteurs.of(right):
        try:
            with trial.limited(SECONDS):
                caught = not exercise.is_correct(sabotaged.answer, seed)
        except trial.TooLongError:
            caught = True
        if sabotaged.broke and not caught:
            yield name


def harmless(unit: str) -> dict[str, list[str]]:
    """Return by exercise the patterns of saboteurs that may keep all points; the files say why."""
    path = HARMLESS / f"{package(unit).rsplit('.', 1)[1]}.toml"
    stored = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {
        exercise: [pattern for group in groups for pattern in group["saboteurs"]]
        for exercise, groups in stored.items()
    }


def faults(survived: list[str], excused: list[str]) -> list[str]:
    """Return a line for each hole of a check, and for each excuse that no saboteur needs.

    Args:
        excused: patterns of the names of saboteurs that may keep all points.
    """
    matched = {pattern: [n for n in survived if fnmatchcase(n, pattern)] for pattern in excused}
    harmless = {name for names in matched.values() for name in names}
    found = [f"survived: {name}" for name in survived if name not in harmless]
    return found + [f"no excuse needed: {each}" for each, names in matched.items() if not names]
