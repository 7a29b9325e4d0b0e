"""nbgrader's settings and steps, as this course uses them without nbgrader's commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, from_dict
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import SaveCells
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from helpers.course.settings import Course, CourseError

NAME = "nbgrader_config.py"
WAIT = 60  # seconds, for another program to end what it writes
COURSE = "order-matters"  # what nbgrader_config.py calls it in the gradebook
IN_OUT = """
# Written by `course grade`, whose folder this is. nbgrader's own commands show no hidden test here,
# and autograde refuses: it would run what learners wrote with your rights.
c.CourseDirectory.source_directory = "source"
c.CourseDirectory.release_directory = "release"
c.Autograde.exporter_class = "helpers.course.authoring.nbgrade.Refusal"
"""


class Refusal(NotebookExporter):
    """In OUT, the exporter of nbgrader's autograde, which makes it before it changes any file.

    Raises:
        NbGraderException: always, since learners' code would run with the person's rights.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        reason = "run `course grade` again: it executes what learners wrote in a sandbox"
        self.log.error(reason)
        raise NbGraderException(reason)


def gradebook(folder: Path) -> str:
    """Return the address of the gradebook in `folder`; formgrader may hold it for some seconds."""
    return f"sqlite:///{(folder / 'gradebook.db').absolute()}?timeout={WAIT}"


def settings(course: Course) -> Config:
    """Return what the course's nbgrader_config.py sets.

    Raises:
        CourseError: it is missing, or no Python.
    """
    try:
        return PyFileConfigLoader(NAME, path=str(course.root)).load_config()
    except (ConfigFileNotFound, SyntaxError, NameError) as error:
        raise CourseError(f"{course.root / NAME} is missing or broken: {error}") from error


def settle(course: Course, out: Path) -> None:
    """Write nbgrader_config.py into OUT, for nbgrader's own commands and formgrader."""
    text = (course.root / NAME).read_text(encoding="utf-8")
    (out / NAME).write_text(text + IN_OUT, encoding="utf-8")


def release(
    instructor: NotebookNode, config: Config, names: dict[str, str] | None = None
) -> NotebookNode:
    """Return the learner's notebook, by the steps of nbgrader's generate_assignment.

    Args:
        names: in a gradebook, where its cells are to be entered into one.
    """
    notebook, resources = from_dict(instructor), {"nbgrader": names}
    for step in GenerateAssignment(config=config).preprocessors:
        if step is not SaveCells or names:
            notebook, resources = step(config=config).preprocess(notebook, resources)
    return notebook
