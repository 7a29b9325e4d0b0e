"""OUT/gradebook.db: its version, and programs beside ours; nbgrader's are safe or refused."""

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from nbformat import v4
from nbgrader.dbutil import write_alembic_ini
from nbgrader.preprocessors import Execute
from sqlalchemy.exc import OperationalError

from helpers.course.authoring import nbgrade
from helpers.course.authoring.nbgrade import gradebook
from helpers.course.grading import journal
from helpers.course.settings import Course, CourseError
from tests.common import tiny_course
from tests.course.judged import Desk, book, give, hand_in
from tests.course.pages.entered import RIGHT, UNIT, Classroom


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    root = tmp_path_factory.mktemp("desk")
    made = Classroom(tiny_course(root), root / "out")
    made.enter("ada", RIGHT)
    return made


def _nbgrader(out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"HOME": str(out), "JUPYTER_CONFIG_DIR": str(out)}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(command, cwd=out, env=environment, capture_output=True, text=True)


@pytest.mark.rotating
def test_feedback_shows_what_the_gradebook_has_and_no_hidden_test(classroom: Classroom) -> None:
    give(classroom.out, "ada", "why", manual_score=3)
    with book(classroom.out) as found:
        found.find_comment("why", UNIT, UNIT, "ada").manual_comment = "Good."
        found.find_submission_notebook(UNIT, UNIT, "ada").late_submission_penalty = 0.5
    (classroom.out / "feedback" / "ada" / UNIT / f"{UNIT}.html").unlink()
    done = _nbgrader(classroom.out, "generate_feedback", UNIT, "--force")
    assert done.returncode == 0, done.stderr
    text = re.sub(r"<[^>]+>", "", page := classroom.page("ada"))
    assert "4.5 of 6 points" in text and "3 of 4 points, given by hand" in text
    assert "Comment: Good." in text
    assert "HIDDEN" not in page and "seed=" not in page


def test_autograde_refuses_and_changes_nothing(classroom: Classroom) -> None:
    graded = classroom.out / "autograded" / "ada" / UNIT / f"{UNIT}.ipynb"
    before = graded.read_bytes()
    done = _nbgrader(classroom.out, "autograde", UNIT, "--force")
    assert done.returncode == 1 and "run `course grade` again" in done.stderr
    assert graded.read_bytes() == before


def test_what_nbgraders_own_autograde_trains_takes_twenty_steps(course: Course) -> None:
    cell = v4.new_code_cell("from helpers.runtime import profile\nprofile()")
    notebook = v4.new_notebook(cells=[cell])
    Execute(config=nbgrade.settings(course)).preprocess(notebook, {})
    assert notebook.cells[0].outputs[0].data["text/plain"] == "'dry'"


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
