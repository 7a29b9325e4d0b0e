"""nbgrader's formgrader on a graded class: essays and comments are given there."""

from __future__ import annotations

import argparse
from pathlib import Path

from helpers.course import foreground
from helpers.course.settings import Course, CourseError

# Jupyter's server, but for the service that renders any notebook, a learner's scripts and all.
SERVER = """
from jupyter_server.serverapp import ServerApp
ServerApp.default_services = tuple(s for s in ServerApp.default_services if s != "nbconvert")
ServerApp.launch_instance()
"""

STARTED = """\
nbgrader's formgrader on {}. Ctrl-C ends it; then run `course export`, which takes marks given by
hand, or `course grade` again, which enters them into grades.csv."""


def command(out: Path, port: int, browser: bool = True) -> list[str]:
    """What starts a Jupyter server on OUT, which opens the formgrader; to be run inside OUT.

    Raises:
        CourseError: OUT holds no graded class.
    """
    if not (out / "gradebook.db").is_file():
        raise CourseError(
            f"{out} holds no graded class; make one with: course grade SUBMISSIONS --out {out}"
        )
    words = foreground.jupyter(("-c", SERVER), out, port, browser)
    return [*words, "--ServerApp.default_url=/formgrader/gradebook"]


def main(_course: Course, options: argparse.Namespace) -> int:
    """Serve the formgrader until Ctrl-C.

    nbgrader reads nbgrader_config.py where it is started, so it is started in OUT.
    """
    words = command(options.out, options.port, not options.no_browser)
    print(STARTED.format(options.out))
    return foreground.run(words, options.out)
