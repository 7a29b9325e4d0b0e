"""A release: the helpers for Colab, and a zip per unit for learners without git."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from tqdm import tqdm

from helpers.course.authoring import build, glossary
from helpers.course.settings import Course, CourseError

README = """\
{unit}

You need Python 3.11, 3.12 or 3.13, and the internet once. Put this folder beside those of the other
units, so that the links between them work, and open a terminal where they lie. On Linux or macOS:

    python3 -m venv course
    course/bin/python -m pip install "./{unit}/{wheel}[lab]"
    course/bin/python -m pip install --no-deps {apart}
    course/bin/python -m jupyterlab --ServerApp.root_dir=. {unit}/{unit}.ipynb

On Windows write `py -3.12` for `python3` and `course\\Scripts\\python` for `course/bin/python`.

The installation fetches PyTorch and takes some minutes. It serves the other units as well, if you
were given them together: only the last command is new. Each exercise has a cell below it that
checks your answer and says what is wrong. Hand in {unit}.ipynb, saved, under that name.
"""


def release(course: Course, units: list[str], out: Path) -> list[Path]:
    """Write OUT/UNIT.zip for each unit, from its source, and last the helpers' wheel; the paths.

    A file is the old one or the new one, never half of one.

    Raises:
        CourseError: a source is refused, or the helpers cannot be packed.
    """
    out.mkdir(parents=True, exist_ok=True)
    written = []
    with tempfile.TemporaryDirectory(prefix="release-", dir=out) as made:
        helpers = wheel(course, Path(made))
        for unit in tqdm(units, desc="packing", unit="unit"):
            packed = Path(made) / "zip" / unit
            folder = packed / unit
            folder.mkdir(parents=True)
            released = build.make(course, unit, Path(made)).released
            nbformat.write(released, folder / f"{unit}.ipynb")
            shutil.copy(helpers, folder)
            text = README.format(unit=unit, wheel=helpers.name, apart=_apart(course))
            (folder / "README.txt").write_text(text, encoding="utf-8")
            glossary.copy(course, packed)
            archive = shutil.make_archive(str(packed), "zip", packed)
            written.append(Path(archive).replace(out / f"{unit}.zip"))
        return [*written, helpers.replace(out / helpers.name)]


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


def named(wheel: Path) -> str:
    """A wheel and its checksum, as pip reads it and [tool.course] holds it."""
    return f"{wheel.name}#sha256={hashlib.sha256(wheel.read_bytes()).hexdigest()}"


def _apart(course: Course) -> str:
    """What is installed without its old pins."""
    lines = (course.root / "requirements-no-deps.lock").read_text(encoding="utf-8").splitlines()
    return " ".join(line for line in lines if line and not line.startswith("#"))
