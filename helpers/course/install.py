"""The environment `.venv`: made from the lock files, by this file alone.

Nothing is imported here but Python's own library: it works before anything is installed, and on
every system.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from importlib import metadata
from pathlib import Path

from helpers.course import foreground, settings
from helpers.course.settings import TRIED, Course, CourseError

LOCKS = ("requirements.lock", "requirements-no-deps.lock")
# Who needs which extras of pyproject.toml; who has more has what comes before it, too.
LEVELS = {
    "lab": "lab",
    "grading": "lab,grading",
    "test": "lab,grading,site,test",
}
# What a command needs; others need "grading".
NEEDS = dict.fromkeys(("-h", "--help", "lab", "work", "doctor"), "lab") | {"test": "test"}
BACKEND = ("hatchling", "editables")  # what pip builds the course with, from the lock as well
VENV = """\
{} cannot make environments: it has no module {}. On Debian and Ubuntu: apt install python3-venv"""
MISSING = """\
{name} is not installed. What grading needs comes with: python3 -m helpers.course setup grading
(in an environment of conda's with --here as well)"""
FAILED = """\
This could not be installed (see above). Is there internet and disk space? The course is tested with
Python {}.{} to {}.{}; this is {}.{}. What is there stays; run the same command again to go on."""
PACKAGES = """\
the course and the packages of {lock} that it needs for: {level}. The largest
       is PyTorch: some hundred megabytes, and on Linux a few gigabytes with the GPU libraries
       that come along; docs/starting.md says how to do without these."""


def start(arguments: list[str]) -> int:
    """Run a command of the course in its environment, which is made first where it is not there."""
    if arguments[:1] == ["setup"] or version("order-matters"):  # as in .venv, or in conda's
        from helpers.course import cli

        return cli.main()
    try:
        root = settings.find().root
        level = NEEDS.get(arguments[0] if arguments else "-h", "grading")
        if stale(root, level):
            install(root, level)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from there", file=sys.stderr)
        return 130
    return foreground.run([str(python(root)), "-m", __package__, *arguments])


def main(course: Course, options: argparse.Namespace) -> None:
    """Run `course setup`."""
    install(course.root, options.level, options.here)


def version(package: str) -> str:
    """Return the installed version of a package in this Python; empty if there is none."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def python(root: Path) -> Path:
    """Return the environment's Python."""
    return root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def level_here() -> str:
    """Return what this Python is for: the highest level of which a package is there."""
    return "test" if version("pytest") else "grading" if version("nbgrader") else "lab"


def mend() -> str:
    """Return what to do where something is missing."""
    return f"run `python3 -m helpers.course setup {level_here()}`, which installs what is missing"


def stamp(root: Path, level: str) -> Path:
    """Return the file whose time says when a level was installed."""
    return root / ".venv" / f"installed-{level}"


def stale(root: Path, level: str) -> str:
    """Return why the environment is not what the lock files say, in words; empty where it is."""
    done = stamp(root, level)
    if not done.exists() or not python(root).exists():
        return "it has not been installed to the end"
    asked = [root / name for name in ("pyproject.toml", *LOCKS)]
    newer = [path.name for path in asked if path.stat().st_mtime > done.stat().st_mtime]
    return f"{', '.join(newer)} changed after it was installed" if newer else ""


def install(root: Path, level: str, here: bool = False) -> None:
    """Make the environment, or bring it up to date, saying at each step what comes.

    pip takes what the variable PIP_FLAGS holds as more options.

    Args:
        level: what it is for, one of `LEVELS`.
        here: install into this Python, such as conda's, instead.

    Raises:
        CourseError: it cannot be done; the text says what to do.
    """
    lock, apart = (str(root / name) for name in LOCKS)
    words = [sys.executable if here else str(python(root)), "-m", "pip", "install"]
    words += ["--disable-pip-version-check", *shlex.split(os.environ.get("PIP_FLAGS", ""))]

    place = f"environment that is there, {sys.prefix}" if here else f"environment in {root}/.venv"
    print(f"\n1 of 3  the {place}", flush=True)
    if not here:
        make_venv(root)
    print(f"\n2 of 3  {PACKAGES.format(level=level, lock=LOCKS[0])}", flush=True)
    _run([*words, "--constraint", lock, *BACKEND])
    course = f"{root}[{LEVELS[level]}]"
    _run([*words, "--constraint", lock, "--no-build-isolation", "--editable", course])
    print("\n3 of 3  the book's library, without its old pins", flush=True)
    _run([*words, "--no-deps", "-r", apart])
    if not here:
        for each in list(LEVELS)[: list(LEVELS).index(level) + 1]:
            stamp(root, each).touch()
    print("\nInstalled.", flush=True)


def make_venv(root: Path) -> None:
    """Make an environment with nothing in it but pip.

    Raises:
        CourseError: this Python cannot.
    """
    try:
        import ensurepip  # noqa: F401
        import venv
    except ImportError as error:
        raise CourseError(VENV.format(sys.executable, error.name)) from error
    if not python(root).exists():  # or its Python has been removed since
        venv.create(root / ".venv", clear=True, symlinks=os.name != "nt")
    _run([str(python(root)), "-m", "ensurepip", "--upgrade"])


def _run(words: list[str]) -> None:
    """Go on only where pip, or what comes before it, has done its work."""
    if foreground.run(words) != 0:
        raise CourseError(FAILED.format(*TRIED[0], *TRIED[1], *sys.version_info[:2]))
