"""What a learner does works where Python lacks what grading needs, as on Windows."""

import subprocess
import sys
from pathlib import Path

import pytest

from helpers.course.cli import MISSING, POSIX
from helpers.course.settings import WINDOWS
from tests.common import ROOT, UNITS

PROGRAM = """
import sys, psutil
sys.modules |= dict.fromkeys({missing})
from pathlib import Path
from helpers.course import servers, settings, work
from helpers.course.cli import main
course = settings.Course(Path.cwd())
print(*work.begin(course), *work.outdated(course))
assert "jupyterlab" in servers.lab_command(course, 8888)
assert main(["work"]) == 0
assert main(["grade", "notebooks"]) == 1
assert not psutil.Process().children()  # no sandbox has begun
"""


@pytest.mark.parametrize(
    ("missing", "told"), [(POSIX, WINDOWS), (("nbgrader",), MISSING.format(name="nbgrader"))]
)
def test_a_learner_has_copies_and_jupyterlab_and_a_grader_is_told_what_is_missing(
    tmp_path: Path, missing: tuple[str, ...], told: str
) -> None:
    for name in ("docs", "source", "notebooks", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    words = [sys.executable, "-c", PROGRAM.format(missing=missing)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, told + "\n")
    assert done.stdout.split("\n")[:2] == [" ".join(UNITS), "All copies are of this release."]
