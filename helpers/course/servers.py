"""Jupyter's servers in the foreground of a terminal: JupyterLab for learners, formgrader for marks.

JupyterLab opens on a learner's own copies of the units, nbgrader's formgrader on a graded class:
essays and comments are given there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from helpers.course import work
from helpers.course.settings import Course, CourseError, is_root

PAUSE = 2.0  # seconds between two calls
LAYOUT = ".jupyterlab"  # folder in work/ where JupyterLab keeps what is open
# Leaves out what learners do not need: nbgrader's menu, and the question whether one wants news.
CONFIGURATION = Path(__file__).parent / "jupyter"
NEWER = """\
There is a newer release of {units}. `make work`, or python -m helpers.course work,
brings it into your copies and keeps what you wrote."""
STARTING = (
    "JupyterLab is starting. It opens in your browser, or copy an address below. Ctrl-C ends it."
)
# Jupyter's server, but for the service that renders any notebook, a learner's scripts and all.
FORMGRADER = """
from jupyter_server.serverapp import ServerApp
ServerApp.default_services = tuple(s for s in ServerApp.default_services if s != "nbconvert")
ServerApp.launch_instance()
"""
STARTED = """\
nbgrader's formgrader on {}. What is given there is in grades.csv and on the pages some
seconds later, and in the report when Ctrl-C has ended it."""


def lab(course: Course, options: argparse.Namespace) -> int:
    """Open JupyterLab on work/ until Ctrl-C: on the first unit, later as it was left."""
    if made := work.begin(course):
        print(f"Your own copies are in {course.work}: {', '.join(made)}")
    if older := work.outdated(course):
        print(NEWER.format(units=", ".join(older)))
    print(STARTING, flush=True)
    os.environ.update(configuration())
    return run(lab_command(course, options.port, not options.no_browser), course.work)


def configuration() -> dict[str, str]:
    """Return the variable by which Jupyter finds our settings, before those that the user has."""
    places = [str(CONFIGURATION), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    return {"JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, places))}


def lab_command(course: Course, port: int, browser: bool = True) -> list[str]:
    """Return what starts JupyterLab in work/, with the variables of `configuration`."""
    layout = course.work / LAYOUT
    if not layout.is_dir():
        shutil.copytree(CONFIGURATION / "workspaces", layout)  # unit 00 is open, and all in sight
    words = _jupyter(("-m", "jupyterlab"), course.work, port, browser)
    return [*words, f"--LabApp.workspaces_dir={layout}", "--log-level=ERROR"]


def formgrade(course: Course, options: argparse.Namespace) -> int:
    """Serve the formgrader until Ctrl-C; what is given there comes into grades.csv and the pages.

    nbgrader reads nbgrader_config.py where it is started, so it is started in OUT.
    """
    from helpers.course import report
    from helpers.course.grading.gradebook import refresh

    words = formgrade_command(options.out, options.port, not options.no_browser)
    print(STARTED.format(options.out))
    book = options.out / "gradebook.db"
    known = 0.0

    def follow() -> None:
        nonlocal known
        if (now := book.stat().st_mtime) != known:
            with suppress(CourseError):  # while `course grade` writes into it; so the next time
                refresh(options.out)
                known = now

    code = run(words, options.out, follow)
    print(f"report: {report.write(course, options.out, refresh(options.out))}")
    return code


def formgrade_command(out: Path, port: int, browser: bool = True) -> list[str]:
    """Return what starts a server on OUT, which opens the formgrader; to be run inside OUT.

    Raises:
        CourseError: OUT holds no graded class.
    """
    if not (out / "gradebook.db").is_file():
        raise CourseError(
            f"{out} holds no graded class; make one with: course grade SUBMISSIONS --out {out}"
        )
    words = _jupyter(("-c", FORMGRADER), out, port, browser)
    return [*words, "--ServerApp.default_url=/formgrader/gradebook"]


def _jupyter(app: Sequence[str], root: Path, port: int, browser: bool) -> list[str]:
    words = [sys.executable, *app, f"--port={port}", f"--ServerApp.root_dir={root.absolute()}"]
    words += [] if browser else ["--no-browser"]
    # Jupyter refuses root otherwise; the address has a token.
    return [*words, "--allow-root"] if is_root() else words


def run(words: Sequence[str], folder: Path, meanwhile: Callable[[], None] = lambda: None) -> int:
    """Run a program to its end and return its exit code.

    Ctrl-C is for the program to answer; who ends this process ends that one.

    Args:
        meanwhile: called every few seconds.
    """
    with subprocess.Popen(words, cwd=folder) as program:
        before = signal.signal(signal.SIGTERM, lambda *_: program.terminate())
        try:
            while True:
                with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                    meanwhile()
                    return program.wait(PAUSE)
        finally:
            signal.signal(signal.SIGTERM, before)
