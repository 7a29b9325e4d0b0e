"""nbgrader's formgrader on a graded class: essays, held points and comments are given there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from helpers.course.settings import CourseError


def command(out: Path, port: int, browser: bool = True) -> list[str]:
    """What starts a Jupyter server on OUT, which opens the formgrader; to be run inside OUT.

    Raises:
        CourseError: OUT holds no graded class.
    """
    if not (out / "gradebook.db").is_file():
        raise CourseError(
            f"{out} holds no graded class; make one with: course grade SUBMISSIONS --out {out}"
        )
    words = [sys.executable, "-m", "jupyter", "server", f"--port={port}"]
    words += [f"--ServerApp.root_dir={out.absolute()}"]
    words += ["--ServerApp.default_url=/formgrader/gradebook"]
    if not browser:
        words.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.append("--allow-root")  # Jupyter refuses it otherwise; the address has a token
    return words


def formgrade(out: Path, port: int, browser: bool) -> int:
    """Serve the formgrader until Ctrl-C.

    nbgrader reads nbgrader_config.py where it is started, so it is started in OUT.
    """
    words = command(out, port, browser)
    print(f"nbgrader's formgrader on {out}. Ctrl-C ends it; then run `course grade` again:")
    print("it takes what was given by hand into grades.csv, the feedback pages and the report.")
    with subprocess.Popen(words, cwd=out) as server:
        try:
            return server.wait()
        except KeyboardInterrupt:  # the server has it as well, and ends
            server.wait()
            return 0
