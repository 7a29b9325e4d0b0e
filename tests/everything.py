"""All that is tested, for `make test`, and for `python -m helpers.course test` without make.

With --quick it is `make quick`: what a change of one unit or one encoding can break.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

from tests import changed

SKIPPED = Path("build") / "skipped"
STYLE = ("ruff check .", "ruff format --check --exclude source .")
TYPES = "mypy"  # one process, and long where it has no cache: so it runs beside the tests
# conftest.py orders and shares the tests; twice as many at a time as cores, as many wait.
PYTEST = "pytest -n 4 --no-loadscope-reorder --max-worker-restart 0"
EVERYTHING = (
    *STYLE,
    "helpers.course build --check",
    # nbval executes the solutions.
    f"{PYTEST} --nbval-lax --nbval-current-env --nbval-cell-timeout 600 tests solutions",
    f"tests.skipped {SKIPPED.as_posix()}",
)


def quick() -> tuple[tuple[str, ...], dict[str, str]]:
    """The steps of `make quick`, and the units whose checks they ask."""
    paths = changed.paths()
    units, tests = changed.units(paths), changed.tests(paths)
    print(f"looking at {' '.join([*units, *tests])}", flush=True)
    drift = [f"helpers.course build --check {' '.join(units)}"] if units else []
    steps = (*STYLE, *drift, f"{PYTEST} -m 'not slow' {' '.join(tests)}")
    return steps, {"ONLY": " ".join(units)}


def run(steps: tuple[str, ...], variables: dict[str, str]) -> int:
    """Run the steps up to the first that fails, with the types beside them; gives the exit code."""
    # Threads of their own would only get in the way of tests that run side by side.
    environment = os.environ | {"OMP_NUM_THREADS": "1"} | variables
    types = subprocess.Popen([sys.executable, "-m", TYPES], stdout=PIPE, text=True)
    for step in steps:
        code = subprocess.call([sys.executable, "-m", *shlex.split(step)], env=environment)
        if code:
            types.kill()
            return code
    print(types.communicate()[0], end="")
    return types.returncode


def main() -> int:
    """Everything, or with --quick less."""
    if "--quick" in sys.argv[1:]:
        return run(*quick())
    SKIPPED.parent.mkdir(exist_ok=True)
    SKIPPED.unlink(missing_ok=True)
    return run(EVERYTHING, {"SKIPPED": str(SKIPPED)})


if __name__ == "__main__":
    sys.exit(main())
