"""Runs a command on learners' work as the user nobody, where root has started it."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from helpers.course.settings import Course, CourseError

NOBODY = 65534  # Linux' own number for it (/proc/sys/kernel/overflowuid)
SETPRIV = f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups".split()
SETPRIV += ["--inh-caps=-all", "--bounding-set=-all"]
# Whether nobody can run this Python, and read the folders and files that are named.
TRIAL = """\
import os, sys, helpers.course.cli
from pathlib import Path
found = [each for name in sys.argv[1:] for each in (Path(name), *Path(name).rglob("*"))]
found = [Path(sys.executable), *(each for each in found if not each.is_symlink())]
sys.exit(not all(os.access(each, os.R_OK) for each in found))"""
AS_ROOT = """\
Root goes on itself: the user nobody cannot run {}, or cannot read the course or what was handed in.
Learners' code stays in its sandbox (but for --no-sandbox); an ordinary user is safer."""


def restart(course: Course, options: argparse.Namespace) -> None:
    """Begin this command again as nobody, who owns OUT; return where nobody cannot run it.

    Raises:
        CourseError: OUT holds what others own.
    """
    out, read = options.out.resolve(), [course.source, course.root / "nbgrader_config.py"]
    if "submissions" in options:
        course.refuse_places(options.submissions, out)
        out.mkdir(parents=True, exist_ok=True)
        read.append(options.submissions)
    elif not out.is_dir():
        return  # the command itself says so
    try:
        trial = [*SETPRIV, sys.executable, "-c", TRIAL, *map(str, read)]
        subprocess.run(trial, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        print(AS_ROOT.format(sys.executable), file=sys.stderr)
        return
    if out.stat().st_uid != NOBODY:
        if any(out.iterdir()):
            raise CourseError(
                f"{out} is not of the user nobody, who goes on for root: name a new folder, or "
                "say this as the user whose it is"
            )
        os.chown(out, NOBODY, NOBODY)
    print(f"Started by root: nobody goes on, who owns {out}.", file=sys.stderr)
    here = {name: text for name, text in os.environ.items() if not name.startswith("XDG_")}
    here |= {"HOME": str(out / ".home"), "USER": "nobody", "LOGNAME": "nobody"}
    os.execvpe(SETPRIV[0], [*SETPRIV, sys.executable, *sys.orig_argv[1:]], here)
