"""How much of what could be tried is tried: `make quick`, `make test` or `make nightly`.

CONTRIBUTING.md says what each promises. `make quick` tries changed exercises; `make test` a sample
of everything, which the commit chooses, so that all of it is tried over some days.
"""

import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import cache
from typing import TypeVar

from helpers import checks
from helpers.checks.engine import Exercise
from tests import changed
from tests.common import ROOT, UNITS

Item = TypeVar("Item")
ROTATION = 6  # one in so many of the rotating tests is run by `make test`
TIER = os.environ.get("TIER", "nightly")  # who calls pytest itself has all that is asked for
NIGHTLY = TIER == "nightly"
# As "02-sinusoidal/table", or units; without any, all exercises are looked at.
CHANGED = os.environ.get("EXERCISES", "").split()


def sample_seed() -> int:
    """Return what chooses the samples: SAMPLE_SEED where it is set, else the commit, or the day."""
    if given := os.environ.get("SAMPLE_SEED"):
        return int(given)
    command = ["git", "rev-parse", "--short=6", "HEAD"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):  # no git, or no checkout
        return date.today().toordinal()
    return int(done.stdout, 16)


def sample(items: Sequence[Item], one_in: int) -> list[Item]:
    """Return one in `one_in` of the items, all of them at night, and at least one."""
    # Not the seed's remainder by ROTATION, which chooses rotating tests: samples inside these would
    # else be the same each time that their test comes up.
    return _one_in(items, one_in, sample_seed() // ROTATION)


def rotated(groups: Sequence[Item]) -> list[Item]:
    """Return one in `ROTATION` of the groups of rotating tests, all at night, and at least one."""
    return _one_in(groups, ROTATION, sample_seed())


def _one_in(items: Sequence[Item], one_in: int, seed: int) -> list[Item]:
    step = 1 if NIGHTLY else max(1, min(one_in, len(items)))
    return list(items[seed % step :: step])


def exercises() -> list[tuple[str, Exercise]]:
    """Return the exercises to look at, each with its unit."""
    return [
        (unit, exercise)
        for unit in UNITS
        for name, exercise in checks.exercises(unit).items()
        if not CHANGED or unit in CHANGED or f"{unit}/{name}" in CHANGED
    ]


@cache
def _changed() -> set[str]:
    """Return the units and exercises of which all known answers are tried."""
    return {*CHANGED, *(changed.asked(changed.paths()) if TIER == "test" else [])}


def is_changed(unit: str, name: str) -> bool:
    """Return whether all known answers of an exercise are tried."""
    return bool(_changed() & {unit, f"{unit}/{name}"})


def known(of: Callable[[str, Exercise], Iterable[Item]], one_in: int) -> list[Item]:
    """Return what `of` knows of exercises: all of changed ones, of the others one in `one_in`."""
    groups: tuple[list[Item], list[Item]] = [], []
    for unit, exercise in exercises():
        groups[is_changed(unit, exercise.name)].extend(of(unit, exercise))
    return [*sample(groups[0], one_in), *groups[1]]
