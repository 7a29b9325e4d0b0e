"""What a worker makes of one submission: from the file that was handed in to the learner's page.

The gradebook of a class has one writer, so that process does as little as it can for each notebook.
nbgrader autogrades a notebook here, in a gradebook of the worker's own that knows the unit and no
marks; only the rows that come of it go into that of the class (`marking.enter`). A task holds all
that is needed, so workers on any machine can do it.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sqlite3
import zlib
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader import api
from nbgrader.api import Gradebook
from sqlalchemy import event

from helpers.course import intake
from helpers.course.authoring.nbgrade import COURSE, NAME, Grader, gradebook, turn
from helpers.course.grading import execute, marking
from helpers.course.grading.execute import Job, Outcome
from helpers.course.grading.judge import Assertions, Check
from helpers.course.grading.marking import Graded
from helpers.course.grading.regrade import Shown
from helpers.course.intake.scratch import Scratch
from helpers.course.sandbox.process import Limits
from helpers.course.settings import Course, CourseError

MARKS = ("comment", "grade", "submitted_notebook", "submitted_assignment", "student")
OTHER_SOURCES = """
    DELETE FROM source_cell WHERE notebook_id NOT IN (
        SELECT notebook.id FROM notebook JOIN assignment ON assignment.id = notebook.assignment_id
        WHERE assignment.name = ?)"""


@dataclass(frozen=True)
class Task:
    """A submission to grade.

    Args:
        content: of the notebook, as it was handed in.
        kit: a `Kit`, packed: the same bytes for the whole class, and unpacked once.
        tests: with the seeds of this notebook.
        kept: what its other checks showed, where one exercise alone is graded again.
        files: what was handed in beside the notebook, by name.
    """

    student: str
    content: bytes
    kit: bytes
    tests: dict[str, Check | Assertions]
    limits: Limits
    isolated: bool = True
    kept: Shown | None = None
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Kit:
    """What a worker has to know of a unit; in its gradebook nobody has handed in anything."""

    unit: str
    release: NotebookNode
    settings: str
    book: bytes

    @classmethod
    def of(cls, course: Course, unit: str, release: NotebookNode, out: Path) -> Kit:
        """The kit of a unit that is in OUT's gradebook."""
        with (
            closing(sqlite3.connect(out / "gradebook.db")) as book,
            closing(sqlite3.connect(":memory:", isolation_level=None)) as copy,
        ):
            book.backup(copy)
            for table in MARKS:
                copy.execute(f"DELETE FROM {table}")
            copy.execute(OTHER_SOURCES, [unit])
            copy.execute("VACUUM")
            settings = (course.root / NAME).read_text(encoding="utf-8")
            return cls(unit, release, settings, copy.serialize())

    def packed(self) -> bytes:
        """As a `Task` has it."""
        return zlib.compress(pickle.dumps(self))


def work(task: Task) -> Graded:
    """Do a task.

    Raises:
        CourseError: nothing can be said about the notebook; the text says why.
    """
    kit = _unpacked(task.kit)
    try:
        notebook, repairs = intake.repaired(task.content, kit.release)
    except CourseError as error:
        raise CourseError(f"not graded: {error}") from error
    outcome = execute.execute(Job(notebook, task.tests, task.limits, task.isolated, task.files))
    kept = bool(task.kept and task.kept.fits(notebook))
    if task.kept and kept:
        outcome.outputs |= task.kept.outputs
    graded = autograded(kit, task.student, notebook, outcome, repairs + outcome.notes)
    return replace(graded, kept=kept)


@lru_cache(maxsize=32)
def _unpacked(packed: bytes) -> Kit:
    found: Kit = pickle.loads(zlib.decompress(packed))  # the grader's own, as all of a task
    return found


def autograded(
    kit: Kit, student: str, notebook: NotebookNode, outcome: Outcome, repairs: list[str]
) -> Graded:
    """What nbgrader makes of a notebook that has been executed.

    Raises:
        CourseError: nbgrader refuses it.
    """
    with turn:  # one at a time also has the desk to itself
        return _desk(kit.unit, kit.settings, kit.book).graded(
            student, _writable(notebook), outcome, repairs
        )


class _Desk:
    """A folder of nbgrader's in which one notebook at a time is autograded."""

    def __init__(self, unit: str, settings: str, book: bytes) -> None:
        self.unit = unit
        self.own = Scratch(f"om-{os.getpid()}-desk-")
        self.folder = self.own.path
        (self.folder / NAME).write_text(settings, encoding="utf-8")
        self.empty = book
        self.address = gradebook(self.folder)
        self.engine = api.create_engine(self.address, echo=False, future=True)  # of `Gradebook`
        event.listen(self.engine, "connect", _careless)
        self.grader = Grader(Course(self.folder), self.folder)
        self._clear()

    def _clear(self) -> None:
        """Have a gradebook in which nobody has handed in anything."""
        self.engine.dispose()
        (self.folder / "gradebook.db").write_bytes(self.empty)

    def graded(
        self, student: str, notebook: NotebookNode, outcome: Outcome, repairs: list[str]
    ) -> Graded:
        paths = {
            kind: self.folder / kind / student / self.unit / f"{self.unit}.{ending}"
            for kind, ending in marking.FILES.items()
        }
        paths["submitted"].parent.mkdir(parents=True)
        paths["submitted"].write_text(json.dumps(notebook), encoding="utf-8")
        try:
            self.grader.autograde(self.unit, student, _writable(outcome.outputs))
            found = Graded(
                repairs=repairs,
                flags=outcome.flags,
                hints=marking.hints(paths["autograded"]),
                seconds=outcome.seconds,
                total=outcome.total,
                limited=outcome.limited,
            )
            with Gradebook(self.address, COURSE) as book:
                mine = marking.submission(book, self.unit, student).notebooks[0]
                found.scores = {each.name: each.auto_score for each in mine.grades}
                found.comments = {each.name: each.auto_comment for each in mine.comments}
            try:
                self.grader.feedback(self.unit, student)
            except CourseError as error:  # the marks are known all the same
                found.problem = str(error)
            found.files = {k: path.read_bytes() for k, path in paths.items() if path.exists()}
            return found
        finally:
            for path in paths.values():
                shutil.rmtree(path.parent.parent, ignore_errors=True)
            self._clear()


_desk = lru_cache(maxsize=16)(_Desk)


def _careless(connection: Any, _record: object) -> None:
    """Nothing in a worker's gradebook has to outlive it, so nobody waits for the disk."""
    connection.execute("PRAGMA synchronous = OFF")


def _writable(value: Any) -> Any:
    """The same without halves of characters, which JSON may name and no file can hold."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return nbformat.from_dict(json.loads(text))
