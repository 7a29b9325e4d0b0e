"""The checkout, its units, and the source of a tiny unit to do harm to."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.course import settings
from helpers.course.sandbox import bubblewrap
from helpers.course.settings import Course

ROOT = Path(__file__).parent.parent
UNITS = settings.find(ROOT).units()
NO_SANDBOX = bubblewrap.available()  # why there is none
ISOLATED = not NO_SANDBOX  # a machine without bubblewrap grades what the tests made
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
needs_sandbox = pytest.mark.skipif(not ISOLATED, reason="needs bubblewrap")
needs_browser = pytest.mark.skipif(not CHROMIUM, reason="needs Chromium")

LESSON = '''\
# %% [markdown]
# # A tiny unit

# %% [markdown] exercise="double" title="Twice" difficulty=1 minutes=2
# Write it.

# %% solution="double"
def double(x: int) -> int:
    """Twice x."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %% test="double" points=2
assert double(2) == 4
### BEGIN HIDDEN TESTS
from helpers.checks import tiny as check

check.double(double, seed=1)
### END HIDDEN TESTS
'''

ESSAY = """
# %% [markdown] exercise="why" title="Why" difficulty=1 minutes=5
# Say why.

# %% [markdown] essay="why" points=4
# Because.
"""


def tiny_course(root: Path) -> Course:
    """A course of one tiny unit, 01-tiny, under `root`."""
    (root / "source" / "01-tiny").mkdir(parents=True)
    (root / "source" / "01-tiny" / "01-tiny.py").write_text(LESSON)
    (root / "docs").mkdir()
    (root / "docs" / "glossary.md").write_text("[01](../notebooks/01-tiny/01-tiny.ipynb)")
    (root / "pyproject.toml").write_text("[tool.course]\n")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    return settings.find(root)


def wheel(root: Path, folder: Path) -> Path:
    """The helpers of a checkout, packed into `folder` as for a release."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=root, capture_output=True, check=True)
    [packed] = folder.glob("*.whl")
    return packed


def named(wheel: Path) -> str:
    """A wheel's name and checksum, as pip reads it and [tool.course] holds it."""
    return f"{wheel.name}#sha256={hashlib.sha256(wheel.read_bytes()).hexdigest()}"
