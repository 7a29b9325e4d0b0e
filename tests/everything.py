"""The steps of `make quick`, `make test` and `make nightly`: `python -m tests.everything TIER`.

CONTRIBUTING.md says what each promises.
"""

import os
import shlex
import sys
from collections.abc import Iterable
from subprocess import PIPE, Popen, call

from tests import changed

QUICK_SECONDS = 27  # after its first test; then quick begins no other
STYLE = ("ruff check .", "ruff format --check --exclude source .")
TYPES = "mypy"
DRIFT = "helpers.course build --check"
# conftest.py orders and shares the tests. More at a time than two cores, as many wait; but in
# quick, where finding the tests once more costs more than it brings.
PYTEST = "pytest -rs -n {} --no-loadscope-reorder --max-worker-restart 0"
# nbval executes the solutions.
ALL = f"{PYTEST.format(4)} --nbval-lax --nbval-current-env --nbval-cell-timeout 600 tests solutions"


def quick() -> int:
    """Try what changes can break, as much of it as fits into a minute; return the exit code."""
    if code := run("quick", STYLE, []):  # what cannot be read cannot be looked through
        return code
    if not (paths := changed.paths()):
        print("git names no changed file; make test looks at everything")
        return 1
    exercises, tests = changed.exercises(paths), changed.tests(paths)
    few = exercises if len(exercises) <= changed.FEW else []
    units = sorted({*changed.units(paths), *(each.split("/")[0] for each in few)})
    print(f"changed: {' '.join([*units, *few, *paths[:8]])}", flush=True)
    variables = {"EXERCISES": " ".join(few), "QUICK_SECONDS": str(QUICK_SECONDS)}
    drift = [f"{DRIFT} {' '.join(units)}"] if units else []
    return run("quick", [f"{PYTEST.format(2)} {' '.join(tests)}"], [TYPES, *drift], variables)


def test() -> int:
    """Try all that is quick and a sample of the rest; return the exit code."""
    return run("test", [*STYLE, f"{ALL} --durations 20"], [TYPES, DRIFT])


def nightly() -> int:
    """Try everything; return the exit code."""
    return run("nightly", [*STYLE, ALL], [TYPES, DRIFT])


def run(
    tier: str, steps: Iterable[str], beside: Iterable[str], variables: dict[str, str] | None = None
) -> int:
    """Run the steps up to the first that fails; return its exit code.

    Args:
        beside: commands of one process each that need a while. What they print comes at the end.
    """
    environment = os.environ | {"TIER": tier} | (variables or {})
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


TIERS = {"quick": quick, "test": test, "nightly": nightly}

if __name__ == "__main__":
    sys.exit(TIERS[sys.argv[1]]())
