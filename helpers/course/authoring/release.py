"""A unit for learners without git: one zip with its notebook, the helpers and how to begin."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from tqdm import tqdm

from helpers.course.authoring import build
from helpers.course.settings import Course, CourseError

README = """\
{unit}

You need Python 3.11, 3.12 or 3.13, and the internet once. In this folder, on Linux or macOS:

    python3 -m venv course
    course/bin/python -m pip install "./{wheel}[lab]"
    course/bin/python -m pip install --no-deps {apart}
    course/bin/python -m jupyterlab {unit}.ipynb

On Windows write `py` for `python3` and `course\\Scripts\\python` for `course/bin/python`.

The installation fetches PyTorch and takes some minutes. It serves the other units as well, if you
were given them together: only the last command is new. Each exercise has a cell below it that
checks your answer and says what is wrong. Hand in {unit}.ipynb, saved, under that name.
"""


def release(course: Course, units: list[str], out: Path) -> list[Path]:
    """Write OUT/UNIT.zip for each unit, made from its source; the paths.

    A file is the old one or the new one, never half of one.

    Raises:
        CourseError: a source is refused, or the helpers cannot be packed.
    """
    out.mkdir(parents=True, exist_ok=True)
    written = []
    with tempfile.TemporaryDirectory(prefix="release-", dir=out) as made:
        helpers = wheel(course, Path(made))
        for unit in tqdm(units, desc="packing", unit="unit"):
            folder = Path(made) / "zip" / unit
            folder.mkdir(parents=True)
            released = build.make(course, unit, Path(made)).released
            nbformat.write(released, folder / f"{unit}.ipynb")
            shutil.copy(helpers, folder)
            text = README.format(unit=unit, wheel=helpers.name, apart=_apart(course))
            (folder / "README.txt").write_text(text, encoding="utf-8")
            packed = shutil.make_archive(str(folder), "zip", folder.parent, unit)
            written.append(Path(packed).replace(out / f"{unit}.zip"))
    return written


def wheel(course: Course, folder: Path) -> Path:
    """The helpers with the recorded results, as a wheel in FOLDER.

    Raises:
        CourseError: it cannot be built; the text says why.
    """
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, check=False)
    found = list(folder.glob("*.whl"))
    if done.returncode or not found:
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise CourseError(f"the helpers cannot be packed: {''.join(reason) or 'no wheel'}")
    return found[0]


def _apart(course: Course) -> str:
    """What is installed without its old pins."""
    lines = (course.root / "requirements-no-deps.lock").read_text(encoding="utf-8").splitlines()
    return " ".join(line for line in lines if line and not line.startswith("#"))
