"""A release: the wheel of the helpers, which notebooks install on Colab."""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path

from helpers.course.settings import Course, CourseError


def main(course: Course, options: argparse.Namespace) -> None:
    """Run `course release`."""
    print(made := wheel(course, options.out))
    if (name := named(made)) != course.wheel:
        print(f'For Colab, write under [tool.course] in pyproject.toml: wheel = "{name}"')


def wheel(course: Course, folder: Path) -> Path:
    """Pack the helpers with the recorded results into FOLDER; return the wheel's path.

    Raises:
        CourseError: they cannot be packed; the text says why.
    """
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
    command.append(str(folder.absolute()))
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, check=False)
    found = sorted(folder.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    if done.returncode or not found:
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise CourseError(f"the helpers cannot be packed: {''.join(reason) or 'no wheel'}")
    return found[-1]


def named(wheel: Path) -> str:
    """Return a wheel's name and checksum, as pip reads it and [tool.course] holds it."""
    return f"{wheel.name}#sha256={hashlib.sha256(wheel.read_bytes()).hexdigest()}"
