"""The environment `.venv`: made from the lock files, by this file alone.

Nothing is imported here but Python's own library: it works before anything is installed, and on
every system.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shlex
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

from helpers.course import foreground, settings
from helpers.course.settings import CourseError

LOCKS = ("requirements.lock", "requirements-no-deps.lock")
# Who needs which extras of pyproject.toml; who has more has what comes before it, too.
LEVELS = {
    "lab": "lab",
    "grading": "lab,grading",
    "test": "lab,grading,site,test",
}
NEEDS = {"lab": "lab", "work": "lab", "doctor": "lab", "test": "test"}  # others need "grading"
TRIED = ((3, 11), (3, 13))  # the versions of Python that CI tries, from and to
PIP = "pip>=25.1"  # shows what it is installing; older ones are silent for minutes
VENV = """\
{python} cannot make environments: it has no module {module}. On Debian and Ubuntu:
apt install python3-venv"""
MISSING = """\
{name} is not installed. What grading needs comes with: python3 -m helpers.course setup grading
(in an environment of conda's with --here as well)"""
FAILED = """\
This could not be installed (see above). Is there internet and disk space?
What is there stays; run the same command again to go on."""
UNTRIED = "This is Python {here}; the course is tested with {first} to {last}: name one of these."
PACKAGES = """\
the course and the packages of {lock} that it needs for: {level}. The largest
       is PyTorch: some hundred megabytes, and on Linux a few gigabytes with the GPU libraries
       that come along; README.md says how to do without these."""


def main(arguments: list[str]) -> int:
    """Run a command of the course in its environment, which is made first where it is not there."""
    if arguments[:1] == ["setup"] or _inside():
        from helpers.course import cli

        return cli.main(arguments)
    try:
        root = settings.find().root
        command = arguments[0] if arguments else "-h"
        needed = "lab" if command.startswith("-") else NEEDS.get(command, "grading")
        if stale(root, needed):
            install(root, needed)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from there", file=sys.stderr)
        return 130
    return foreground.run([str(python(root)), "-m", __package__, *arguments])


def _inside() -> bool:
    """Whether this Python has the course installed: that of `.venv`, or conda's."""
    try:
        return bool(metadata.version("order-matters"))
    except metadata.PackageNotFoundError:
        return False


def python(root: Path) -> Path:
    """The environment's Python."""
    return root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def level() -> str:
    """Return what this Python is for: the highest level of which a package is there."""
    packages = {"test": "pytest", "grading": "nbgrader"}
    there = (each for each, name in packages.items() if importlib.util.find_spec(name))
    return next(there, "lab")


def mend() -> str:
    """Return what to do where something is missing."""
    return f"run `python3 -m helpers.course setup {level()}`, which installs what is missing"


def installed(root: Path, level: str) -> Path:
    """Return the file whose time says when a level was installed."""
    return root / ".venv" / f"installed-{level}"


def stale(root: Path, level: str) -> str:
    """Return why the environment is not what the lock files say, in words; empty where it is."""
    done = installed(root, level)
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
    start = time.perf_counter()
    chosen = sys.executable if here else str(python(root))
    options = shlex.split(os.environ.get("PIP_FLAGS", ""))
    pip = [chosen, "-m", "pip", "--disable-pip-version-check", "install", *options]
    lock, apart = (str(root / name) for name in LOCKS)

    if here:
        _say(1, f"an environment that is there, {sys.prefix}")
    else:
        _say(1, f"an environment for the course, {root / '.venv'}")
        _make(root)
    with contextlib.suppress(CourseError):  # without it all works, in silence
        _tick([*pip, "--quiet", PIP])
    _say(2, PACKAGES.format(level=level, lock=LOCKS[0]))
    _run([*pip, "-c", lock, "--editable", f"{root}[{LEVELS[level]}]"])
    _say(3, "the book's library, without its old pins")
    _run([*pip, "--no-deps", "-r", apart])
    if not here:
        for each in list(LEVELS)[: list(LEVELS).index(level) + 1]:
            installed(root, each).touch()
    minutes, seconds = divmod(round(time.perf_counter() - start), 60)
    print(f"\nInstalled in {minutes} min {seconds} s.", flush=True)


def _make(root: Path) -> None:
    """An environment with nothing in it but pip."""
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            raise CourseError(VENV.format(python=sys.executable, module=module))
    if not python(root).exists():  # or its Python has been removed since
        _tick([sys.executable, "-m", "venv", "--without-pip", "--clear", str(root / ".venv")])
    _tick([str(python(root)), "-m", "ensurepip", "--upgrade"])


def _say(step: int, what: str) -> None:
    print(f"\n{step} of 3  {what}", flush=True)


def _tick(words: list[str]) -> None:
    """Run what says nothing for a while, with a dot each second."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as program:
        while True:
            try:
                _settle(program.wait(timeout=1))
                return
            except subprocess.TimeoutExpired:
                print(".", end="", flush=True)


def _run(words: list[str]) -> None:
    _settle(foreground.run(words))


def _settle(code: int) -> None:
    """Say what to do where pip, or what comes before it, has failed."""
    if code != 0:
        first, last, here = (f"{n}.{m}" for n, m in (*TRIED, sys.version_info[:2]))
        fits = TRIED[0] <= sys.version_info[:2] <= TRIED[1]
        untried = UNTRIED.format(here=here, first=first, last=last)
        raise CourseError(FAILED if fits else f"{FAILED}\n{untried}")
