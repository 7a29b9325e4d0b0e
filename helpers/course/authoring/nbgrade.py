"""A thin face on nbgrader's own converters, with the settings of nbgrader_config.py."""

from __future__ import annotations

import errno
import logging
import os
import re
import signal
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import nbgrader
from alembic.script import ScriptDirectory
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, v4
from nbgrader import api
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties, CheckCellMetadata, Execute
from nbgrader.utils import capture_log
from sqlalchemy.exc import SAWarning
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, LazyConfigValue, PyFileConfigLoader

from helpers.course.settings import Course, CourseError

# nbgrader's own steps but one: the cells' metadata are those of the release, since `repair`.
SANITIZE, AUTOGRADE = (
    [each for each in steps.default() if each is not CheckCellMetadata]
    for steps in (Autograde.sanitize_preprocessors, Autograde.autograde_preprocessors)
)


def newest_tables() -> str:
    """The version of nbgrader's tables that a new gradebook has."""
    scripts = ScriptDirectory(str(Path(nbgrader.__file__).with_name("alembic")))
    return str(scripts.get_current_head())


# nbgrader asks the command `alembic` from PATH, which takes a second for each new gradebook and is
# not there where the environment has not been activated.
api.get_alembic_version = newest_tables
# It opens the gradebook ten times a submission, each time with a new engine, which has to compile
# all statements again.
api.create_engine = lru_cache(maxsize=4)(api.create_engine)
# Of how it adds to its gradebook. Filters are the whole process's, and whoever sets some for a
# while puts back what was there before, in any thread: so this one is there before them all.
warnings.filterwarnings("ignore", category=SAWarning)


# nbgrader goes into its folder and sets filters of warnings, both of the whole process.
turn = threading.RLock()
COURSE = "order-matters"  # what nbgrader_config.py calls it in the gradebook


def gradebook(folder: Path) -> str:
    """Address of the gradebook in `folder`."""
    return f"sqlite:///{(folder / 'gradebook.db').absolute()}"


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


NAME = "nbgrader_config.py"
IN_OUT = """
# Written by `course grade`, whose folder this is. nbgrader's own commands show no hidden test here,
# and autograde refuses: it would run what learners wrote with your rights.
c.CourseDirectory.source_directory = "source"
c.CourseDirectory.release_directory = "release"
c.Autograde.exporter_class = "helpers.course.authoring.nbgrade.Refusal"
"""


class Grader:
    """nbgrader on one folder with `source/`, `release/`, `submitted/` and so on.

    Args:
        course: whose nbgrader_config.py holds.
        folder: nbgrader's course directory; its gradebook is made where there is none.
    """

    def __init__(self, course: Course, folder: Path) -> None:
        self.course, self.folder = course, folder
        try:
            config = PyFileConfigLoader(NAME, path=str(course.root)).load_config()
        except (ConfigFileNotFound, SyntaxError, NameError) as error:
            raise CourseError(f"{course.root / NAME} is missing or broken: {error}") from error
        config.CourseDirectory.update(
            root=str(folder.absolute()),
            db_url=gradebook(folder),
            source_directory="source",
            release_directory="release",
        )
        # Taken out, as what stands in the configuration would be put back in the middle of a job.
        added = config.Autograde.pop("autograde_preprocessors", LazyConfigValue())
        self.autograding = added.get_value(AUTOGRADE)
        config.NotebookExporter.optimistic_validation = True  # once, not after every step
        self.config: Config = config

    def settle(self) -> None:
        """Write nbgrader_config.py into the folder, for nbgrader's own commands and formgrader."""
        settings = (self.course.root / NAME).read_text(encoding="utf-8")
        (self.folder / NAME).write_text(settings + IN_OUT, encoding="utf-8")

    def release(self, unit: str) -> None:
        """source/ → release/: answers and hidden tests removed, the unit put in the gradebook."""
        self._run(GenerateAssignment, unit, ".")

    def autograde(self, unit: str, student: str, outputs: dict[str, list[NotebookNode]]) -> None:
        """submitted/ → autograded/ and the gradebook, for one submission.

        Args:
            outputs: of each code cell by its id; nbgrader itself executes nothing.
        """

        def executed(
            notebook: NotebookNode, resources: dict[str, Any]
        ) -> tuple[NotebookNode, dict[str, Any]]:
            for cell in notebook.cells:
                if cell.cell_type == "code":
                    cell.outputs = outputs.get(cell.id, [])
            return notebook, resources

        steps = [executed if each is Execute else each for each in self.autograding]
        self._run(
            Autograde,
            unit,
            student,
            sanitize_preprocessors=SANITIZE,
            autograde_preprocessors=steps,
        )

    def feedback(self, unit: str, student: str) -> None:
        """autograded/ → feedback/, for one submission."""
        self._run(GenerateFeedback, unit, student)

    def penalize(self, unit: str, student: str) -> None:
        """Have nbgrader say what a late submission costs."""
        of_whom = {"notebook": unit, "assignment": unit, "student": student}
        log = logging.getLogger("nbgrader.AssignLatePenalties")
        log.setLevel(logging.ERROR)
        AssignLatePenalties(config=self.config, log=log).preprocess(
            v4.new_notebook(), {"nbgrader": of_whom | {"db_url": gradebook(self.folder)}}
        )

    def _run(self, converter: type[BaseConverter], unit: str, student: str, **traits: Any) -> None:
        folder = CourseDirectory(config=self.config)
        folder.assignment_id, folder.student_id = unit, student
        job: Any = converter(coursedir=folder, config=self.config, **traits)
        job.force = True
        job.log = logging.getLogger(f"nbgrader.{converter.__name__}")
        job.log.setLevel(logging.ERROR)
        job.log.propagate = False
        # What goes wrong in the gradebook is raised as well; once is enough.
        logging.getLogger("tornado.application").setLevel(logging.CRITICAL)
        with turn, warnings.catch_warnings(), uninterrupted():
            result = capture_log(job)
        if not result["success"]:
            told = result.get("log", "") + result["error"]
            if "No space left on device" in told or "database or disk is full" in told:
                raise OSError(
                    errno.ENOSPC, os.strerror(errno.ENOSPC), self.config.CourseDirectory.root
                )
            raise CourseError(f"nbgrader {converter.__name__}: {_reason(told)}")


class _Pressed(list[int]):
    """The signals of Ctrl-C that have come, and what hears them."""

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        self.append(number)


@contextmanager
def uninterrupted() -> Iterator[Sequence[int]]:
    """Ctrl-C waits until the end, of the outermost where one is within another.

    nbgrader would take it for an error of this notebook, and a finaliser, where Python may be at
    any moment, for none at all: nobody would stop.

    Returns:
        A list that is no longer empty once it was pressed, for who can end earlier.
    """
    usual = signal.getsignal(signal.SIGINT)
    if isinstance(usual, _Pressed) or threading.current_thread() is not threading.main_thread():
        yield usual if isinstance(usual, _Pressed) else ()  # only the main thread is interrupted
        return
    pressed = _Pressed()
    signal.signal(signal.SIGINT, pressed)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, usual)
    if pressed:
        raise KeyboardInterrupt


def _reason(told: str) -> str:
    """The first exception in nbgrader's log and traceback, in one line."""
    lines = [line.removeprefix("[ERROR] ") for line in told.strip().splitlines()]
    named = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Missing|Entry|Died\w*)\b(: .*)?")
    found = [line for line in lines if named.match(line) and "the above traceback" not in line]
    return (found or lines)[0].removeprefix("nbgrader.converters.base.NbGraderException: ")
