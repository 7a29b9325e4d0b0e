"""All that is tested, for `make test`, and for `python -m helpers.course test` without make.

With --quick it is `make quick`: what a change of one unit or one encoding can break.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from subprocess import PIPE, Popen, call

from tests import changed

SKIPPED = Path("build") / "skipped"
STYLE = ("ruff check .", "ruff format --check --exclude source .")
TYPES = "mypy"
DRIFT = "helpers.course build --check"
# conftest.py orders and shares the tests; more at a time than two cores, as many wait.
PYTEST = "pytest -n 3 --no-loadscope-reorder --max-worker-restart 0"
EVERYTHING = (
    *STYLE,
    # nbval executes the solutions.
    f"{PYTEST} --nbval-lax --nbval-current-env --nbval-cell-timeout 600 tests solutions",
    f"tests.skipped {SKIPPED.as_posix()}",
)


def quick() -> int:
    """What can break by what has changed."""
    paths = changed.paths()
    units, tests = changed.units(paths), changed.tests(paths)
    print(f"looking at {' '.join([*units, *tests])}", flush=True)
    beside = (TYPES, f"{DRIFT} {' '.join(units)}") if units else (TYPES,)
    steps = (*STYLE, f"{PYTEST} -m 'not slow' {' '.join(tests)}")
    return run(steps, beside, {"ONLY": " ".join(units)})


def everything() -> int:
    """All there is, and what was skipped."""
    SKIPPED.parent.mkdir(exist_ok=True)
    SKIPPED.unlink(missing_ok=True)
    return run(EVERYTHING, (TYPES, DRIFT), {"SKIPPED": str(SKIPPED)})


def run(steps: Iterable[str], beside: Iterable[str], variables: dict[str, str]) -> int:
    """Run the steps up to the first that fails; gives the exit code.

    Args:
        beside: commands of one process each that need a while. What they say comes at the end.
    """
    # Threads of their own would only get in the way of tests that run side by side.
    environment = os.environ | {"OMP_NUM_THREADS": "1"} | variables
    begun = [Popen(_words(each), stdout=PIPE, text=True, env=environment) for each in beside]
    code = next(filter(None, (call(_words(each), env=environment) for each in steps)), 0)
    for each in begun:
        if code:
            each.kill()
        else:
            print(each.communicate()[0], end="")
    return code or next(filter(None, (each.wait() for each in begun)), 0)


def _words(module: str) -> list[str]:
    return [sys.executable, "-m", *shlex.split(module)]


def main() -> int:
    """Everything, or with --quick less."""
    return quick() if "--quick" in sys.argv[1:] else everything()


if __name__ == "__main__":
    sys.exit(main())
