"""From a bare Python to the command: what is missing is said, and what is there is used."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import helpers.course
from helpers.course import foreground, install
from helpers.course.settings import CourseError
from tests.common import ROOT

BARE = Path(sys.base_prefix) / "bin" / "python3"  # a Python without the course
BEFORE_ALL = ("helpers/__init__.py", "helpers/course/__init__.py", "helpers/course/__main__.py")

needs_a_bare_python = pytest.mark.skipif(
    not BARE.exists() or Path(sys.prefix) == Path(sys.base_prefix), reason="needs an environment"
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with nothing installed, as far as installing looks at it."""
    for name in ("pyproject.toml", *install.LOCKS):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "source").mkdir()
    return tmp_path


def _asked(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    here = os.environ | {"PYTHONPATH": str(ROOT), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    here |= {"PIP_CONFIG_FILE": os.devnull, "PIP_EXTRA_INDEX_URL": ""}
    words = [str(BARE), "-m", "helpers.course", *arguments]
    return subprocess.run(words, cwd=root, env=here, capture_output=True, text=True)


def test_an_old_python_can_read_what_tells_it_so() -> None:
    for name in BEFORE_ALL:
        ast.parse((ROOT / name).read_text(encoding="utf-8"), feature_version=(3, 6))
    told = "import sys, runpy; sys.version_info = (3, 9, 1, 'final', 0); sys.argv = ['', 'lab']; "
    told += f"runpy.run_module('{helpers.course.__name__}', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Python 3.9 is too old; the course needs 3.11" in done.stderr


def test_a_python_without_venv(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(CourseError, match="apt install python3-venv"):
        install.install(checkout, "lab")
    assert not (checkout / ".venv").exists()


@needs_a_bare_python
def test_without_internet_it_says_so_and_can_go_on(checkout: Path) -> None:
    done = _asked(checkout, "units")
    assert done.returncode == 1
    assert "1 of 3" in done.stdout and "2 of 3" in done.stdout and "3 of 3" not in done.stdout
    assert "Is there internet and disk space?" in done.stderr
    assert "run the same command again" in done.stderr
    assert install.stale(checkout, "grading")


@needs_a_bare_python
def test_an_environment_is_used_and_stale_once_the_lock_is_newer(checkout: Path) -> None:
    assert "not been installed" in install.stale(checkout, "lab")
    python = install.python(checkout)
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "environment: $*"\n')
    python.chmod(0o755)
    install.stamp(checkout, "lab").touch()
    assert install.stale(checkout, "lab") == ""
    done = _asked(checkout, "lab", "--port", "9000")  # a bare Python runs it in the environment
    assert done.stdout == "environment: -m helpers.course lab --port 9000\n"
    assert "not been installed" in install.stale(checkout, "grading")
    later = install.stamp(checkout, "lab").stat().st_mtime + 10
    os.utime(checkout / "requirements.lock", (later, later))
    assert install.stale(checkout, "lab").startswith("requirements.lock changed")


def test_pip_fetches_nothing_but_what_the_lock_has(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the course is built with is installed by the lock, and pip told to fetch no other."""
    ran: list[str] = []

    def run(words: list[str]) -> int:
        ran.append(" ".join(words))
        return 0

    monkeypatch.setattr(foreground, "run", run)
    install.install(checkout, "grading", here=True)
    backend, course, book = (each.partition(" install ")[2] for each in ran)
    assert f"{checkout / install.LOCKS[0]} hatchling editables" in backend
    assert "--no-build-isolation" in course and f"{checkout}[lab,grading]" in course
    assert book.endswith(f"--no-deps -r {checkout / install.LOCKS[1]}")
