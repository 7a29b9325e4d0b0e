"""Names the units that uncommitted changes can break, or else those of the last commit.

`make quick` looks at these alone: `python -m tests.changed`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable

from helpers.checks import package
from tests.common import ROOT, UNITS

# What every check stands on.
SHARED = ("helpers/checks/engine/", "helpers/checks/__init__.py", "tests/mutants/trial.py")


def units(paths: Iterable[str]) -> list[str]:
    """The units to which changed files belong; the shortest one where they belong to none."""
    changed = list(paths)
    if any(path.startswith(SHARED) for path in changed):
        return UNITS
    found = [unit for unit in UNITS if any(path.startswith(_places(unit)) for path in changed)]
    return found or UNITS[:1]


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


if __name__ == "__main__":
    now = _listed("diff", "--name-only", "HEAD")
    now += _listed("ls-files", "--others", "--exclude-standard")
    print(*units(now or _listed("diff", "--name-only", "HEAD~1", "HEAD")))
