"""JupyterLab on a learner's own copies of the units."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from helpers.course import foreground, work
from helpers.course.settings import Course

LAYOUT = ".jupyterlab"  # folder in work/ where JupyterLab keeps what is open
# Leaves out what learners do not need: nbgrader's menu, and the question whether one wants news.
CONFIGURATION = Path(__file__).parent / "jupyter"
NEWER = """\
There is a newer release of {units}. `make work`, or python -m helpers.course work,
brings it into your copies and keeps what you wrote."""
AS_ROOT = (
    "You are root, which JupyterLab refuses by default. It is allowed here, with a secret address."
)
STARTING = (
    "JupyterLab is starting. It opens in your browser, or copy an address below. Ctrl-C ends it."
)


def lab(course: Course, port: int, browser: bool) -> int:
    """Open JupyterLab on work/ until Ctrl-C: on the first unit, later as it was left."""
    if made := work.begin(course):
        print(f"Your own copies are in {course.work}: {', '.join(made)}")
    if older := work.outdated(course):
        print(NEWER.format(units=", ".join(older)))
    if foreground.is_root():
        print(AS_ROOT)
    print(STARTING, flush=True)
    os.environ.update(configuration())
    return foreground.run(command(course, port, browser), course.work)


def configuration() -> dict[str, str]:
    """The variable by which Jupyter finds our settings, before those that the user has."""
    places = [str(CONFIGURATION), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    return {"JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, places))}


def command(course: Course, port: int, browser: bool = True) -> list[str]:
    """What starts JupyterLab; to be run inside work/, with the variables of `configuration`."""
    layout = course.work / LAYOUT
    if not layout.is_dir():
        from jupyterlab_server.workspaces_handler import WorkspacesManager  # takes a second

        WorkspacesManager(str(layout)).save("default", json.dumps(_opened(course.units()[0])))
    words = foreground.jupyter(("-m", "jupyterlab"), course.work, port, browser)
    return [*words, f"--LabApp.workspaces_dir={layout}", "--log-level=ERROR"]


def _opened(unit: str) -> dict[str, Any]:
    """What JupyterLab shows at first: this unit, and beside it the folder of all units."""
    path = f"{unit}/{unit}.ipynb"
    name = f"notebook:{path}"
    tabs = {"type": "tab-area", "currentIndex": 0, "widgets": [name]}
    layout = {
        "main": {"dock": tabs, "current": name},
        "left": {"collapsed": False, "visible": True, "current": "filebrowser", "widgets": []},
        "right": {"collapsed": True, "visible": True, "widgets": []},
        "down": {"size": 0, "collapsed": True, "widgets": []},
        "relativeSizes": [0.2, 0.8, 0],
        "top": {"simpleVisibility": True},
    }
    data = {
        "layout-restorer:data": layout,
        name: {"data": {"path": path, "factory": "Notebook"}},
        "file-browser-filebrowser:cwd": {"path": ""},
    }
    return {"data": data, "metadata": {"id": "default"}}
