"""What `make quick` looks at: what uncommitted changes can break, or those of the last commit.

A unit's tests ask its checks, an encoding's compare it with others; all else is for `make test`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable

from helpers.checks import package
from tests.common import ROOT, UNITS

# What every check stands on.
SHARED = ("helpers/checks/engine/", "helpers/checks/__init__.py", "tests/mutants/trial.py")
ENCODINGS = ("helpers/encodings/", "helpers/model/", "tests/encodings/", "tests/model/")


def units(paths: Iterable[str]) -> list[str]:
    """The units to which changed files belong."""
    changed = list(paths)
    if any(path.startswith(SHARED) for path in changed):
        return UNITS
    return [unit for unit in UNITS if any(path.startswith(_places(unit)) for path in changed)]


def tests(paths: Iterable[str]) -> list[str]:
    """The folders with the tests of changed files; what every unit and encoding shares always."""
    changed = list(paths)
    found = ["tests/project"]
    if units(changed):
        found += ["tests/checks", "tests/promises", "tests/saboteurs", "tests/course/authoring"]
    if any(path.startswith(ENCODINGS) for path in changed):
        found += ["tests/encodings", "tests/model"]
    return found


def paths() -> list[str]:
    """Files that differ from the last commit; where none does, those that it changed."""
    now = _listed("diff", "--name-only", "HEAD")
    now += _listed("ls-files", "--others", "--exclude-standard")
    return now or _listed("diff", "--name-only", "HEAD~1", "HEAD")


def _places(unit: str) -> tuple[str, ...]:
    name = package(unit).rsplit(".", 1)[1]
    return (
        f"source/{unit}/",
        f"helpers/checks/{name}/",
        f"tests/checks/variants/{name}",
        f"tests/saboteurs/harmless/{name}.toml",
    )


def _listed(*command: str) -> list[str]:
    ran = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
    return ran.stdout.split()
