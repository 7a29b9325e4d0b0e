"""The rows of a class: kept in the journal, and written to grades.csv.

The journal is a table of the course's own in OUT/gradebook.db, nbgrader's gradebook of a class. It
has what grades.csv and the report say of each notebook, and what has been graded, so that the next
run need not do it again. Marks and journal come in one transaction, so whenever a run is killed,
each tells of the same notebooks.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import nbgrader
import pandas as pd
from alembic.script import ScriptDirectory
from nbgrader.api import Gradebook
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from helpers.course import settings
from helpers.course.authoring import nbgrade
from helpers.course.grading.execute import Result
from helpers.course.intake import Submission
from helpers.course.pages.feedback import Mark
from helpers.course.settings import CourseError, printable

LOCK = ".lock"  # in every folder of a class
SEARCHED = (  # without an index, nbgrader reads the rows of the whole class for each notebook
    ("grade", "notebook_id"),
    ("comment", "notebook_id"),
    ("submitted_notebook", "assignment_id"),
)
TABLE = """CREATE TABLE IF NOT EXISTS course_journal
    (student TEXT, unit TEXT, entry TEXT, PRIMARY KEY (student, unit))"""
WRITE = "INSERT OR REPLACE INTO course_journal VALUES (:student, :unit, :entry)"
OF_ONE = "SELECT entry FROM course_journal WHERE student = :student AND unit = :unit"
READ = "SELECT entry FROM course_journal"
THERE = "SELECT 1 FROM sqlite_master WHERE name = 'course_journal'"
# Whom nbgrader knows no longer: `nbgrader db student remove` takes rows away, too, for good.
REMOVED = "DELETE FROM course_journal WHERE student NOT IN (SELECT id FROM student)"
FORGET = "DELETE FROM course_journal WHERE unit = '' AND student = :student"

# "key" of what is graded, "row" of grades.csv, "mark", "answers", "hints" by exercise, "digest".
# "earlier": how many tries before the newest the one that counts is.
Entry = dict[str, Any]
Row = dict[str, Any]
NAME = "grades.csv"
WIDEST = 80  # characters of a reason in a terminal; the file has all
EMPTY: Row = {  # a row of grades.csv
    "student": "", "unit": "", "score": 0.0, "pending": 0.0, "max_score": 0.0, "late": "",
    "penalty": 0.0, "status": "", "flags": "", "repairs": "", "hints": [], "seconds": 0.0,
    "platform_id": "", "return_as": "",
}  # fmt: skip
KEYS = ["student", "unit"]  # of a row


def create(out: Path) -> None:
    """Make a gradebook of nbgrader's newest version where there is none, and our table in it.

    nbgrader would ask the command `alembic` from PATH for the version, which may not be there.
    """
    path = out / "gradebook.db"
    if not path.exists() or not path.stat().st_size:  # an empty one is of a run that was killed
        fresh = path.with_name("gradebook.db.new")
        fresh.unlink(missing_ok=True)
        scripts = ScriptDirectory(str(Path(nbgrader.__file__).with_name("alembic")))
        with closing(sqlite3.connect(fresh)) as made, made:
            made.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
            made.execute("INSERT INTO alembic_version VALUES (?)", [scripts.get_current_head()])
        fresh.replace(path)
    with closing(Gradebook(nbgrade.gradebook(out), nbgrade.COURSE)) as book:
        book.db.execute(text(TABLE))
        book.db.execute(text(REMOVED))
        for table, column in SEARCHED:
            name = f"order_matters_{table}"
            book.db.execute(text(f"CREATE INDEX IF NOT EXISTS {name} ON {table} ({column})"))
        book.db.commit()


def put(book: Gradebook, student: str, unit: str, entry: Entry) -> None:
    """Put an entry in place of an earlier one of the same learner and unit; the caller commits."""
    book.db.execute(text(WRITE), {"student": student, "unit": unit, "entry": json.dumps(entry)})


def find(book: Gradebook, student: str, unit: str) -> Entry:
    """Return the entry of a learner and unit; an empty one where there is none."""
    found = book.db.execute(text(OF_ONE), {"student": student, "unit": unit}).scalar()
    return json.loads(found) if found else {}


def entries(out: Path) -> list[Entry]:
    """Return all entries of a class, also while it is being graded; none where there is no table.

    Raises:
        CourseError: another program keeps the gradebook from being read.
    """
    path = out.absolute() / "gradebook.db"
    if not path.exists():
        return []
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", nbgrade.WAIT, uri=True)) as book:
            there = book.execute(THERE).fetchone()
            return [json.loads(entry) for (entry,) in book.execute(READ)] if there else []
    except sqlite3.OperationalError as error:
        raise CourseError(
            f"{path} cannot be read ({error}): close nbgrader and what else uses it, and run again"
        ) from error


def graded(out: Path) -> list[Entry]:
    """Return the entries of what is graded."""
    return [each for each in entries(out) if each["key"]]


@contextmanager
def writing(out: Path) -> Iterator[None]:
    """Keep others from grading into OUT meanwhile. However a process ends, its lock ends with it.

    Raises:
        CourseError: somebody is grading into OUT; or the gradebook cannot be written, as where the
            disk is full, or SQLite has waited for another program in vain.
    """
    with (out / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            reason = f"somebody is grading into {out}: wait until that ends, or name another --out"
            raise CourseError(reason) from error
        try:
            yield
        except OperationalError as error:
            usual = any(each in str(error.orig) for each in ("full", "locked"))
            mend = ": free some space, or close nbgrader and what else uses it, and run again"
            raise CourseError(
                f"{out / 'gradebook.db'} cannot be written ({error.orig}){mend * usual}; what has "
                "been graded is kept"
            ) from error


def row(found: Submission, **more: Any) -> Row:
    """Return the row of a submission."""
    names = (*KEYS, "platform_id", "return_as")
    return EMPTY | more | {name: getattr(found, name) for name in names}


def told(result: Result) -> Row:
    """Return what a row says of a result beside its marks."""
    hints = [hint for each in result.hints.values() for hint in each]
    return {
        "seconds": round(result.seconds, 1),
        "flags": "; ".join(result.flags),
        "repairs": "; ".join(result.notes),
        "hints": list(dict.fromkeys(hints)),
    }


def marks(mark: Mark) -> Row:
    """Return what a row says of a mark."""
    grades = mark.grades.values()
    waiting = [each.max_score for each in grades if each.needs_manual]
    return {
        "score": sum(each.score for each in grades),
        "pending": float(sum(waiting)),
        "max_score": sum(each.max_score for each in grades),
        "penalty": mark.penalty,
        "status": "graded, the rest by hand" if waiting else "graded",
    }


def table(rows: list[Row]) -> pd.DataFrame:
    """Return rows as a table, sorted; what an earlier version did not know is empty."""
    found = pd.DataFrame([EMPTY | each for each in rows], columns=[*EMPTY])
    return found.sort_values(KEYS, ignore_index=True)


def read(out: Path) -> pd.DataFrame:
    """Return the rows of all submissions that have been graded into OUT, or could not be."""
    return table([entry["row"] for entry in entries(out)])


def write(out: Path) -> pd.DataFrame:
    """Write OUT/grades.csv; return its rows."""
    rows = read(out)
    settings.write(out / NAME, rows.to_csv(index=False))
    return rows


def as_text(table: pd.DataFrame) -> str:
    """Return marks as a table, then the hints that each learner was given."""
    words = table[["student", "unit", "late", "status"]].map(printable)
    marks = table.loc[:, :"status"].assign(**words)
    if not table.late.any() and not table.penalty.any():
        marks = marks.drop(columns=["late", "penalty"])
    hints = [
        f"\n{printable(student)}, {unit}:\n" + "\n".join(f"  - {printable(hint)}" for hint in hints)
        for student, unit, hints in table[["student", "unit", "hints"]].itertuples(index=False)
        if hints
    ]
    text = marks.to_string(index=False, max_colwidth=WIDEST)
    return text + ("\n\nHints given\n" + "".join(hints) if hints else "")


def changed(before: pd.DataFrame, after: pd.DataFrame) -> list[str]:
    """Return in words whose points are others than `before`."""

    def points(score: float, pending: float) -> str:
        return f"{score:g}" + f", {pending:g} pending" * bool(pending)

    both = after.merge(before, on=KEYS, suffixes=("", "_before"))
    return [
        f"{printable(row.student)}, {row.unit}: "
        f"{points(row.score_before, row.pending_before)} → {points(row.score, row.pending)} points"
        for row in both.itertuples()
        if (row.score, row.pending) != (row.score_before, row.pending_before)
    ]
