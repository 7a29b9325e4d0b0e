"""The file gradebook.db of a class: how it is made, and what keeps others from writing into it."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy.exc import OperationalError

from helpers.course.authoring import nbgrade
from helpers.course.settings import CourseError

SEARCHED = (  # without an index, nbgrader reads the rows of the whole class for each notebook
    ("grade", "notebook_id"),
    ("comment", "notebook_id"),
    ("submitted_notebook", "assignment_id"),
)


class GradebookBusyError(CourseError):
    """Another program does not end what it writes into the gradebook."""


@contextmanager
def writable(out: Path) -> Iterator[None]:
    """Say what a person can mend where nothing can be written.

    Raises:
        GradebookBusyError: SQLite has waited for another program in vain.
        OSError: the disk is full.
    """
    try:
        yield
    except (OperationalError, sqlite3.OperationalError) as error:
        if "disk is full" in str(error):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        if "database is locked" not in str(error):
            raise
        raise GradebookBusyError(
            f"another program is writing into {out / 'gradebook.db'} (nbgrader, or a viewer of "
            "databases): close it, then run again; what has been graded is kept"
        ) from error


def create(out: Path) -> None:
    """Make an empty gradebook of nbgrader's newest version where there is none.

    nbgrader would ask the command `alembic` from PATH for it, which may not be there.
    """
    path = out / "gradebook.db"
    if path.exists() and path.stat().st_size:  # an empty one was left by a run that was killed
        return
    fresh = path.with_name("gradebook.db.new")
    fresh.unlink(missing_ok=True)
    with closing(sqlite3.connect(fresh)) as book, book:
        book.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        book.execute("INSERT INTO alembic_version VALUES (?)", [nbgrade.newest_tables()])
    fresh.replace(path)
