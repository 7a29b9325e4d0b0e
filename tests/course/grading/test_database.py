"""OUT/gradebook.db: its version, its indexes, and other programs that write into it."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from nbgrader.dbutil import write_alembic_ini

from helpers.course.authoring.nbgrade import gradebook
from helpers.course.grading.gradebook import SEARCHED
from tests.course.judged import Desk, desk, hand_in
from tests.course.pages.entered import Classroom

__all__ = ["desk"]


def test_rows_are_found_without_reading_those_of_the_class(classroom: Classroom) -> None:
    for table, column in SEARCHED:
        with sqlite3.connect(classroom.out / "gradebook.db") as book:
            asked = f"EXPLAIN QUERY PLAN SELECT id FROM {table} WHERE {column} = 'x'"
            [plan] = book.execute(asked).fetchall()
        assert f"USING INDEX order_matters_{table}" in plan[-1]


def test_a_new_gradebook_has_the_version_that_nbgraders_command_says(classroom: Classroom) -> None:
    with sqlite3.connect(classroom.out / "gradebook.db") as ours:
        (version,) = ours.execute("SELECT version_num FROM alembic_version").fetchone()
    settings = classroom.out / "alembic.ini"
    write_alembic_ini(str(settings), gradebook(classroom.out))
    alembic = str(Path(sys.executable).with_name("alembic"))
    command = [alembic, "-c", str(settings), "heads"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.split()[0] == version


def test_a_gradebook_that_another_program_writes_is_named(desk: Desk) -> None:
    submissions = hand_in(desk.root / "in", ada=desk.work())
    desk.grade(submissions)
    with closing(sqlite3.connect(desk.out / "gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        hand_in(submissions, ada=desk.work(double="return x"))
        [status] = desk.grade(submissions).status
    assert re.match(r"another program is writing into .*gradebook\.db .* run again", status)
    assert desk.grade(submissions).score.tolist() == ["2.0"]
