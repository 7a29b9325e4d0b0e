"""Exercise × saboteur: which saboteur loses points, and why another need not.

A saboteur that keeps all points is a hole in the check, unless `harmless/` says why the text of
the exercise does not forbid what it does.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from helpers.checks import package
from helpers.checks.engine import Exercise
from helpers.course.settings import Course
from tests.mutants import trial
from tests.saboteurs import saboteurs

HARMLESS = Path(__file__).with_name("harmless")
CAUGHT, SURVIVED, EXCUSED = "caught", "SURVIVED", "harmless"
SECONDS = 30.0  # of computing, so that none is caught for being slow on a slow machine
SIGNS = {CAUGHT: "x", SURVIVED: "!", EXCUSED: "o"}


@dataclass(frozen=True)
class Row:
    """What became of one saboteur of an exercise's right answer."""

    unit: str
    exercise: str
    saboteur: str
    state: str


def rows(course: Course, unit: str, seed: int = 0) -> Iterator[Row]:
    """Try every saboteur on the right answers of a unit; those that break nothing are left out."""
    excused = harmless(unit)
    for solution in trial.solutions(course, unit):
        known = excused.get(solution.exercise, [])
        for name, caught in _tried(solution.check.known(), solution.answer(), seed):
            why = any(fnmatchcase(name, each) for group in known for each in group["saboteurs"])
            state = CAUGHT if caught else EXCUSED if why else SURVIVED
            yield Row(unit, solution.exercise, name, state)


def _tried(exercise: Exercise, right: Any, seed: int) -> Iterator[tuple[str, bool]]:
    """Each saboteur that broke something, and whether it lost points."""
    exercise.right(right, seed)  # what is right is known from here on, and is in nobody's time
    for name, sabotaged in saboteurs.of(right, partial(exercise.ask, seed=seed)):
        try:
            with trial.limited(SECONDS):
                caught = not exercise.right(sabotaged.answer, seed)
        except trial.TooLongError:
            caught = True
        if sabotaged.broke:
            yield name, caught


def harmless(unit: str) -> dict[str, list[dict[str, Any]]]:
    """By exercise: groups of saboteurs that may keep all points, and why."""
    path = HARMLESS / f"{package(unit).rsplit('.', 1)[1]}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def faults(tried: list[Row], unit: str) -> list[str]:
    """A line for each hole of the checks, and for each excuse that no saboteur needs."""
    found = [f"survived: {row.exercise}: {row.saboteur}" for row in tried if row.state == SURVIVED]
    for exercise, groups in harmless(unit).items():
        excused = [r.saboteur for r in tried if r.exercise == exercise and r.state == EXCUSED]
        found += [
            f"no excuse needed: {exercise}: {pattern}"
            for group in groups
            for pattern in group["saboteurs"]
            if not any(fnmatchcase(name, pattern) for name in excused)
        ]
    return found


def shown(tried: list[Row]) -> str:
    """The table: x loses points, o is harmless, ! keeps all points and should not."""
    table = pd.DataFrame([(r.saboteur, r.exercise, SIGNS[r.state]) for r in tried])
    return str(
        table.pivot_table(index=0, columns=1, values=2, aggfunc="first")
        .fillna("")
        .rename_axis(index=None, columns=None)
        .to_string()
    )
