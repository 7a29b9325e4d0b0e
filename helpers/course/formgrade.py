"""nbgrader's formgrader on a graded class: essays and comments are given there."""

from __future__ import annotations

import argparse
from contextlib import suppress
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
nbgrader's formgrader on {}. What is given there is in grades.csv and on the pages some
seconds later, and in the report when Ctrl-C has ended it."""


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


def main(course: Course, options: argparse.Namespace) -> int:
    """Serve the formgrader until Ctrl-C; what is given there comes into grades.csv and the pages.

    nbgrader reads nbgrader_config.py where it is started, so it is started in OUT.
    """
    from helpers.course import report
    from helpers.course.grading.gradebook import refresh

    words = command(options.out, options.port, not options.no_browser)
    print(STARTED.format(options.out))
    book = options.out / "gradebook.db"
    known = 0.0

    def follow() -> None:
        nonlocal known
        if (now := book.stat().st_mtime) != known:
            with suppress(CourseError):  # while `course grade` writes into it; so the next time
                refresh(options.out)
                known = now

    code = foreground.run(words, options.out, follow)
    print(f"report: {report.write(course, options.out, refresh(options.out))}")
    return code
