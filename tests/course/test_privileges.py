"""Where root runs `course` on a graded class, nobody goes on with it, or root is told."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.course import privileges
from helpers.course.privileges import NOBODY
from helpers.course.settings import Course
from tests.common import ROOT, tiny_course

# Runs a command, whose report says only who writes it.
COMMAND = """\
import pathlib
from helpers.course import cli
def _report(course, options):
    print(pathlib.Path("/proc/self/status").read_text(), pathlib.Path.home())
cli._report = _report
raise SystemExit(cli.main())"""


def _python() -> str:
    """Return a Python like this one that nobody can run; this one may be root's own."""
    for name in (sys.executable, f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}"):
        trial = [*privileges.SETPRIV, name, "-c", "import os, sys; os.stat(sys.executable)"]
        if shutil.which(name) and subprocess.run(trial, capture_output=True).returncode == 0:
            return name
    return ""


pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights")
needs_a_shared_python = pytest.mark.skipif(
    os.geteuid() == 0 and not _python(), reason="nobody can run no Python like this one"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def shared(folder: Path) -> Course:
    return tiny_course(folder / "course")


def _run(course: Course, *words: object, python: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command as root's terminal does."""
    here = os.environ | {"PYTHONPATH": f"{ROOT}:{sysconfig.get_path('purelib')}"}
    command = [python or _python(), "-c", COMMAND, *map(str, words)]
    return subprocess.run(command, cwd=course.root, env=here, capture_output=True, text=True)


def _owners(*folders: Path) -> set[int]:
    return {each.lstat().st_uid for folder in folders for each in (folder, *folder.rglob("*"))}


@needs_a_shared_python
def test_nobody_goes_on_without_a_right_and_owns_the_folder(shared: Course, folder: Path) -> None:
    (out := folder / "out").mkdir()
    done = _run(shared, "report", out)
    assert f"nobody goes on, who owns {out}" in done.stderr and done.returncode == 0
    status = dict(line.split(":\t", 1) for line in done.stdout.splitlines() if ":\t" in line)
    assert {*status["Uid"].split(), *status["Gid"].split()} == {str(NOBODY)}
    assert {int(status[name], 16) for name in status if name.startswith("Cap")} == {0}
    assert status["Groups"].strip() == "" and str(out / ".home") in done.stdout
    assert out.stat().st_uid == NOBODY
    (out / "roots").touch()
    assert _run(shared, "report", out).returncode == 0  # it is nobody's now
    assert (out / "roots").stat().st_uid == 0


@needs_a_shared_python
@pytest.mark.parametrize("place", ["other", "in/out", "course"])
def test_a_folder_of_others_stays_theirs(shared: Course, folder: Path, place: str) -> None:
    for name in ("in", "other"):
        (folder / name).mkdir()
    (folder / "other" / "letter.txt").touch()
    done = _run(shared, "grade", folder / "in", "--out", folder / place)
    assert done.returncode == 1 and "name a" in done.stderr.splitlines()[-1]
    assert _owners(folder) == {0} and not (folder / "in" / "out").exists()


def test_where_nobody_can_read_all_of_it_root_goes_on(shared: Course, folder: Path) -> None:
    (folder / "out").mkdir()
    shared.source.chmod(0o700)
    done = _run(shared, "report", folder / "out", python=sys.executable)
    assert done.stderr.startswith("Root goes on") and "ordinary user is safer" in done.stderr
    assert "Uid:\t0" in done.stdout and _owners(folder) == {0}
