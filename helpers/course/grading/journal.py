"""The journal of a class: what has been graded, so that the next run need not do it again.

It is a table beside nbgrader's own in OUT/gradebook.db. So marks and journal come in one
transaction, and whenever a run is killed, each tells of the same notebooks.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from sqlalchemy import text

from helpers.course.settings import CourseError

LOCK = ".lock"  # in every folder of a class
CREATE = """CREATE TABLE IF NOT EXISTS course_journal
    (student TEXT, unit TEXT, entry TEXT, PRIMARY KEY (student, unit))"""
WRITE = "INSERT OR REPLACE INTO course_journal VALUES (:student, :unit, :entry)"
READ = "SELECT entry FROM course_journal"
OF_ONE = READ + " WHERE student = :student AND unit = :unit"

Entry = dict[str, Any]  # "key" of the notebook graded, "row" of grades.csv, "hints" by exercise, …


def put(book: Gradebook, student: str, unit: str, entry: Entry) -> None:
    """Put an entry in place of an earlier one of the same learner and unit; the caller commits."""
    book.db.execute(text(WRITE), {"student": student, "unit": unit, "entry": json.dumps(entry)})


def find(book: Gradebook, student: str, unit: str) -> Entry | None:
    """Return the entry of a learner and unit."""
    found = book.db.execute(text(OF_ONE), {"student": student, "unit": unit}).scalar()
    return json.loads(found) if found else None


def entries(out: Path) -> Iterator[Entry]:
    """Yield all entries of a class, also while it is being graded."""
    path = out.absolute() / "gradebook.db"
    found = []
    with (
        suppress(sqlite3.OperationalError),  # there is none, or an older one without a journal
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as book,
    ):
        found = book.execute(READ).fetchall()
    yield from (json.loads(entry) for (entry,) in found)


@contextmanager
def exclusive_lock(out: Path) -> Iterator[None]:
    """Keep others from grading into OUT meanwhile. However a process ends, its lock ends with it.

    Raises:
        CourseError: somebody is grading into OUT.
    """
    with (out / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            reason = f"somebody is grading into {out}: wait until that ends, or name another --out"
            raise CourseError(reason) from error
        yield
