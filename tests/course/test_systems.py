"""What a learner does works on Windows as well, where Python lacks what grading needs."""

import subprocess
import sys
from pathlib import Path

from helpers.course.cli import POSIX
from helpers.course.settings import WINDOWS
from tests.common import ROOT, UNITS

LEARNER = """
from pathlib import Path
from helpers.course import lab, settings, work
from helpers.course.cli import main
course = settings.Course(Path.cwd())
print(*work.begin(course), *work.outdated(course))
assert "jupyterlab" in lab.command(course, 8888)
assert main(["work"]) == 0
"""
GRADER = """
from helpers.course.cli import main
raise SystemExit(main(["grade", "submissions"]))
"""


def _on_windows(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a copy of the course, without the modules that Windows lacks."""
    for name in ("docs", "source", "notebooks", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)
    missing = "".join(f"sys.modules[{name!r}] = None\n" for name in POSIX)
    words = [sys.executable, "-c", f"import sys\n{missing}{program}"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


def test_a_learner_has_copies_and_jupyterlab(tmp_path: Path) -> None:
    done = _on_windows(LEARNER, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == [" ".join(UNITS), "All copies are of this release."]


def test_a_grader_is_told_where_it_works(tmp_path: Path) -> None:
    done = _on_windows(GRADER, tmp_path)
    assert (done.returncode, done.stderr) == (1, WINDOWS + "\n")
