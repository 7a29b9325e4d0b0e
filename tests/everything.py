"""All that is tested, for `make test`, and for `python -m helpers.course test` without make."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SKIPPED = Path("build") / "skipped"
STEPS = (
    "ruff check .",
    "ruff format --check --exclude source .",
    "mypy",
    "helpers.course build --check",
    # conftest.py orders and shares them; nbval executes the solutions.
    "pytest -n 3 --no-loadscope-reorder --nbval-lax --nbval-current-env --nbval-cell-timeout 600"
    " tests solutions",
    f"tests.skipped {SKIPPED.as_posix()}",
)


def main() -> int:
    """Run the steps up to the first that fails, and give its exit code."""
    SKIPPED.parent.mkdir(exist_ok=True)
    SKIPPED.unlink(missing_ok=True)
    # Three tests run side by side, as some wait; threads of their own would only get in the way.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "SKIPPED": str(SKIPPED)}
    for step in STEPS:
        code = subprocess.call([sys.executable, "-m", *step.split()], env=environment)
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
