"""OUT/gradebook.db: its version, its indexes, and other programs that write into it."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from nbgrader.dbutil import write_alembic_ini
from sqlalchemy.exc import OperationalError

from helpers.course.authoring import nbgrade
from helpers.course.authoring.nbgrade import gradebook
from helpers.course.grading import journal
from helpers.course.settings import CourseError
from tests.course.judged import Desk, hand_in
from tests.course.pages.entered import Classroom


def test_a_new_gradebook_has_the_version_that_nbgraders_command_says(classroom: Classroom) -> None:
    with sqlite3.connect(classroom.out / "gradebook.db") as ours:
        (version,) = ours.execute("SELECT version_num FROM alembic_version").fetchone()
    settings = classroom.out / "alembic.ini"
    write_alembic_ini(str(settings), gradebook(classroom.out))
    alembic = str(Path(sys.executable).with_name("alembic"))
    command = [alembic, "-c", str(settings), "heads"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.split()[0] == version


def test_a_gradebook_that_another_program_writes_stops_the_run(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nbgrade, "WAIT", 0.1)
    submissions = desk.hand_in(ada=desk.work(), bob=desk.work())
    desk.grade(submissions)
    before = (desk.out / "grades.csv").read_text()
    hand_in(submissions, ada=desk.work(double="return x"))
    with closing(sqlite3.connect(desk.out / "gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CourseError, match=r"gradebook\.db cannot be written .*close nbgrader"):
            desk.grade(submissions)
    assert (desk.out / "grades.csv").read_text() == before
    assert desk.grade(submissions).score.tolist() == ["2.0", "4.0"]


def test_a_gradebook_that_cannot_be_read_empties_no_table(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nbgrade, "WAIT", 0.1)
    assert journal.entries(desk.out) == []
    desk.grade(desk.hand_in(ada=desk.work()))
    before = (desk.out / "grades.csv").read_text()
    with closing(sqlite3.connect(desk.out / "gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(CourseError, match=r"gradebook\.db cannot be read .*close nbgrader"):
            journal.write(desk.out)
    assert (desk.out / "grades.csv").read_text() == before


@pytest.mark.parametrize(
    ("reason", "mend"),
    [("no such table: x", ""), ("database or disk is full", ": free some space,")],
)
def test_a_gradebook_that_cannot_be_written_says_why(desk: Desk, reason: str, mend: str) -> None:
    desk.out.mkdir()
    told = rf"cannot be written \({reason}\){mend}.*; what has been"
    with pytest.raises(CourseError, match=told), journal.writing(desk.out):
        raise OperationalError("", {}, sqlite3.OperationalError(reason))


def test_an_empty_gradebook_of_a_run_that_was_killed_is_made_anew(desk: Desk) -> None:
    desk.out.mkdir()
    (desk.out / "gradebook.db").touch()
    assert desk.grade(desk.hand_in(ada=desk.work())).score.tolist() == ["4.0"]
