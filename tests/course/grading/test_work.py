"""What workers make of notebooks goes into the gradebook together, and each stands for itself."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from helpers.course.authoring import build
from helpers.course.authoring.nbgrade import COURSE, gradebook
from helpers.course.grading import grade, marking, work
from helpers.course.grading.execute import Outcome
from helpers.course.grading.journal import entries
from helpers.course.grading.marking import Graded
from helpers.course.grading.work import Kit, Task
from helpers.course.intake import Submission
from helpers.course.intake.scratch import Scratch
from helpers.course.settings import Course, CourseError
from tests.common import ISOLATED
from tests.course.pages.entered import RIGHT, UNIT, Classroom

ZERO = "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"


@pytest.fixture
def classroom(tiny: Course, tmp_path: Path) -> Classroom:
    made = Classroom(tiny, tmp_path / "out")
    marking.indexed(made.out)
    return made


def _graded(classroom: Classroom, student: str) -> tuple[Submission, Graded]:
    kit = Kit.of(classroom.course, UNIT, classroom.built.released, classroom.out)
    graded = work.autograded(kit, student, classroom.built.released, Outcome(), [])
    return Submission(student, UNIT), graded


def test_a_batch_is_in_the_gradebook_as_a_whole_or_not_at_all(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = [_graded(classroom, student) for student in ("ada", "bob", "eve")]
    put = marking._put

    def stopped(book: Gradebook, out: Path, found: Submission, graded: Graded) -> dict:
        if found.student == "eve":
            raise KeyboardInterrupt
        return put(book, out, found, graded)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(marking, "_put", stopped)
        marking.enter(classroom.grader, classroom.out, batch)
    with Gradebook(gradebook(classroom.out), COURSE) as book:
        assert book.students == []
    rows = marking.enter(classroom.grader, classroom.out, batch)
    assert [row["status"] for row in rows] == ["graded"] * 3


@pytest.mark.usefixtures("warm_sandboxes")
def test_one_that_is_refused_costs_the_others_of_its_batch_nothing(
    tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build.make(tiny, UNIT, tmp_path / "made")
    for student in ("ada", "bob", "eve"):
        path = tmp_path / "in" / student / UNIT / f"{UNIT}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(built.solution, path)
    put, together = marking._put, grade._Run._finish
    kept = []

    def refusing(book: Gradebook, out: Path, found: Submission, graded: Graded) -> dict:
        if found.student == "bob":
            raise CourseError("it is refused")
        return put(book, out, found, graded)

    def at_last(run: grade._Run, done: list) -> None:
        kept.extend(done)
        if len(kept) == 3:
            together(run, kept)

    monkeypatch.setattr(marking, "_put", refusing)
    monkeypatch.setattr(grade._Run, "_finish", at_last)
    out = tmp_path / "out"
    table = grade.grade(tiny, tmp_path / "in", out, isolated=ISOLATED, workers=2)
    assert table.status.tolist() == ["graded", "it is refused", "graded"]
    assert table.score.tolist() == [2, 0, 2]
    assert sorted(entry["row"]["student"] for entry in entries(out)) == ["ada", "eve"]


def test_a_worker_keeps_nothing_of_a_learner(classroom: Classroom) -> None:
    kit = Kit.of(classroom.course, UNIT, classroom.built.released, classroom.out)
    classroom.enter("zoe", RIGHT)  # no letters of a number in base 16
    with_zoe = Kit.of(classroom.course, UNIT, classroom.built.released, classroom.out)
    assert b"zoe" not in with_zoe.book and len(with_zoe.book) == len(kit.book)
    desk = work._desk(kit.unit, kit.settings, kit.book)
    desk.graded("eve", nbformat.from_dict(classroom.built.released), Outcome(), [])
    with Gradebook(desk.address, COURSE) as book:
        assert book.students == []
    assert not [path for path in desk.folder.rglob("*") if path.is_file() and "eve" in str(path)]


def test_what_cannot_be_read_is_told_as_a_row(classroom: Classroom) -> None:
    kit = Kit.of(classroom.course, UNIT, classroom.built.released, classroom.out).packed()
    with pytest.raises(CourseError, match="not graded: the file is no notebook"):
        work.work(Task("ada", b"{", kit, {}, grade.LIMITS))


def test_a_late_notebook_is_penalized_where_the_due_date_is_known(
    tiny: Course, tmp_path: Path
) -> None:
    settings = tiny.root / "nbgrader_config.py"
    settings.write_text(settings.read_text() + ZERO)
    classroom = Classroom(tiny, tmp_path / "late")
    _, graded = _graded(classroom, "ada")
    graded.scores["double-test"] = 2.0
    late = Submission("ada", UNIT, when="2026-11-03 10:00:00 UTC")
    for due, penalty in (("2026-11-04", None), ("2026-11-01", 2), ("2026-11-05", None)):
        with Gradebook(gradebook(classroom.out), COURSE) as book:
            book.update_or_create_assignment(UNIT, duedate=f"{due} 00:00:00 UTC")
        marking.enter(classroom.grader, classroom.out, [(late, graded)])
        with Gradebook(gradebook(classroom.out), COURSE) as book:
            entered = book.find_submission_notebook(UNIT, UNIT, "ada")
            assert entered.late_submission_penalty == penalty
        assert ("less 2" in classroom.page("ada")) == (penalty == 2)


def test_rows_are_found_without_reading_those_of_the_class(classroom: Classroom) -> None:
    for table, column in marking.SEARCHED:
        with sqlite3.connect(classroom.out / "gradebook.db") as book:
            asked = f"EXPLAIN QUERY PLAN SELECT id FROM {table} WHERE {column} = 'x'"
            [plan] = book.execute(asked).fetchall()
        assert f"USING INDEX order_matters_{table}" in plan[-1]


def test_the_worker_s_page_is_written_anew_where_a_person_has_graded(classroom: Classroom) -> None:
    batch = [_graded(classroom, "ada")]
    marking.enter(classroom.grader, classroom.out, batch)
    with Gradebook(gradebook(classroom.out), COURSE) as book:
        book.find_grade("why", UNIT, UNIT, "ada").manual_score = 3
        book.db.commit()
    marking.enter(classroom.grader, classroom.out, batch)
    assert "given by hand" in classroom.page("ada")


@pytest.mark.parametrize("whom", ["os.kill(os.getpid(), 9)", "os.killpg(0, 9)"])
def test_a_folder_goes_with_its_process_whatever_ends_that(tmp_path: Path, whom: str) -> None:
    code = "import os; from helpers.course.intake.scratch import Scratch; kept = Scratch('om-'); "
    code += f"(kept.path / 'file').touch(); print(kept.path.exists()); sys.stdout.flush(); {whom}"
    there = os.environ | {"TMPDIR": str(tmp_path)}
    died = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}"],
        env=there,
        stdout=subprocess.PIPE,
        start_new_session=True,
        check=False,
    )
    assert (died.returncode, died.stdout) == (-signal.SIGKILL, b"True\n")
    end = time.monotonic() + 10
    while [*tmp_path.iterdir()] and time.monotonic() < end:
        time.sleep(0.05)
    assert not [*tmp_path.iterdir()]


def test_a_folder_stays_until_it_is_closed() -> None:
    kept = Scratch("om-")
    time.sleep(0.2)
    assert kept.path.is_dir()
    kept.close()
    assert not kept.path.exists()
