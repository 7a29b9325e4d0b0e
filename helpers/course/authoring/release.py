"""A release: the helpers for Colab, and a zip per unit for learners without git."""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tqdm import tqdm

from helpers.course.authoring import build, notebook, published
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


def main(course: Course, options: argparse.Namespace) -> None:
    """Run `course release`."""
    written = release(course, course.units(options.units), options.out)
    print(*written, sep="\n")
    if (name := named(written[-1])) != course.wheel:
        print(f'For Colab, write under [tool.course] in pyproject.toml: wheel = "{name}"')


def release(course: Course, units: list[str], out: Path) -> list[Path]:
    """Write OUT/UNIT.zip for each unit, from its source, and last the helpers' wheel.

    A file is the old one or the new one, never half of one.

    Returns:
        Their paths.

    Raises:
        CourseError: a source is refused, or the helpers cannot be packed.
    """
    out.mkdir(parents=True, exist_ok=True)
    written = []
    with tempfile.TemporaryDirectory(prefix="release-", dir=out) as made:
        helpers = wheel(course, Path(made))
        lock = (course.root / "requirements-no-deps.lock").read_text(encoding="utf-8")
        apart = " ".join(line for line in lock.splitlines() if not line.startswith("#"))
        for unit in tqdm(units, desc="packing", unit="unit"):
            packed = Path(made) / "zip" / unit
            released = build.make(course, unit, Path(made)).released
            notebook.write(packed / unit / f"{unit}.ipynb", released)
            shutil.copy(helpers, packed / unit)
            text = README.format(unit=unit, wheel=helpers.name, apart=apart)
            (packed / unit / "README.txt").write_text(text, encoding="utf-8")
            published.copy_glossary(course, packed)
            archive = shutil.make_archive(str(packed), "zip", packed)
            written.append(Path(archive).replace(out / f"{unit}.zip"))
        return [*written, helpers.replace(out / helpers.name)]


def wheel(course: Course, folder: Path) -> Path:
    """Pack the helpers with the recorded results into FOLDER; return the wheel's path.

    Raises:
        CourseError: they cannot be packed; the text says why.
    """
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, check=False)
    found = list(folder.glob("*.whl"))
    if done.returncode or not found:
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise CourseError(f"the helpers cannot be packed: {''.join(reason) or 'no wheel'}")
    return found[0]


def named(wheel: Path) -> str:
    """Return a wheel's name and checksum, as pip reads it and [tool.course] holds it."""
    return f"{wheel.name}#sha256={hashlib.sha256(wheel.read_bytes()).hexdigest()}"
