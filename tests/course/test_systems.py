"""What a learner does works on Windows as well, where Python lacks what grading needs."""

import subprocess
import sys
from pathlib import Path

from helpers.course.cli import POSIX
from helpers.course.settings import WINDOWS
from tests.common import ROOT, UNITS

PROGRAM = """
import sys
sys.modules |= dict.fromkeys({missing})
from pathlib import Path
from helpers.course import lab, settings, work
from helpers.course.cli import main
course = settings.Course(Path.cwd())
print(*work.begin(course), *work.outdated(course))
assert "jupyterlab" in lab.command(course, 8888)
assert main(["work"]) == 0
assert main(["grade", "submissions"]) == 1
"""


def test_a_learner_has_copies_and_jupyterlab_and_a_grader_is_told_where_it_works(
    tmp_path: Path,
) -> None:
    for name in ("docs", "source", "notebooks", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    words = [sys.executable, "-c", PROGRAM.format(missing=POSIX)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, WINDOWS + "\n")
    assert done.stdout.split("\n")[:2] == [" ".join(UNITS), "All copies are of this release."]
