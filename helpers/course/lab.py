"""JupyterLab on a learner's own copies of the units."""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

from helpers.course import foreground, work
from helpers.course.settings import Course

LAYOUT = ".jupyterlab"  # folder in work/ where JupyterLab keeps what is open
# Leaves out what learners do not need: nbgrader's menu, and the question whether one wants news.
CONFIGURATION = Path(__file__).parent / "jupyter"
NEWER = """\
There is a newer release of {units}. `make work`, or python -m helpers.course work,
brings it into your copies and keeps what you wrote."""
STARTING = (
    "JupyterLab is starting. It opens in your browser, or copy an address below. Ctrl-C ends it."
)


def main(course: Course, options: argparse.Namespace) -> int:
    """Open JupyterLab on work/ until Ctrl-C: on the first unit, later as it was left."""
    if made := work.begin(course):
        print(f"Your own copies are in {course.work}: {', '.join(made)}")
    if older := work.outdated(course):
        print(NEWER.format(units=", ".join(older)))
    print(STARTING, flush=True)
    os.environ.update(configuration())
    return foreground.run(command(course, options.port, not options.no_browser), course.work)


def configuration() -> dict[str, str]:
    """Return the variable by which Jupyter finds our settings, before those that the user has."""
    places = [str(CONFIGURATION), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    return {"JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, places))}


def command(course: Course, port: int, browser: bool = True) -> list[str]:
    """Return what starts JupyterLab in work/, with the variables of `configuration`."""
    layout = course.work / LAYOUT
    if not layout.is_dir():
        shutil.copytree(CONFIGURATION / "workspaces", layout)  # unit 00 is open, and all in sight
    words = foreground.jupyter(("-m", "jupyterlab"), course.work, port, browser)
    return [*words, f"--LabApp.workspaces_dir={layout}", "--log-level=ERROR"]
