"""`course grade`: one bad notebook costs nobody else anything, and nobody is left out."""

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from nbgrader.converters import Autograde
from nbgrader.utils import capture_log

from helpers.course.authoring import build
from helpers.course.authoring.nbgrade import Grader
from helpers.course.cli import main
from helpers.course.grading import grade
from helpers.course.settings import Course, CourseError
from tests.common import ESSAY, ISOLATED, LESSON

pytestmark = pytest.mark.usefixtures("warm_sandboxes")
UNIT = "01-tiny"
GRADE = ["grade", *([] if ISOLATED else ["--no-sandbox"])]


def _grade(course: Course, submissions: Path, out: Path) -> pd.DataFrame:
    return grade.grade(course, submissions, out, isolated=ISOLATED)


def _hand_in(folder: Path, student: str, content: str, unit: str = UNIT) -> None:
    path = folder / student / unit / f"{unit}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(content)


@pytest.mark.slow
def test_a_folder_is_graded_and_everyone_has_a_row(
    tiny: Course,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tiny.root)
    built = build.make(tiny, UNIT, tmp_path / "made")
    submissions, out = tmp_path / "in", tmp_path / "out"
    _hand_in(submissions, "right", nbformat.writes(built.solution))
    _hand_in(submissions, "blank", nbformat.writes(built.released))
    _hand_in(submissions, "broken", "{")
    _hand_in(submissions, "empty", "")
    _hand_in(submissions, "elsewhere", nbformat.writes(built.solution), unit="42-unknown")
    (submissions / "nothing" / UNIT).mkdir(parents=True)
    (submissions / "flat").mkdir()
    (submissions / "flat" / f"{UNIT}.ipynb").write_text(nbformat.writes(built.solution))
    _hand_in(submissions, "linked", nbformat.writes(built.solution))
    (submissions / "linked" / UNIT / "data").symlink_to("/no/such/file")
    assert main([*GRADE, str(submissions), "--out", str(out)]) == 0

    table = pd.read_csv(out / "grades.csv").set_index("student")
    assert table.score.to_dict() == {
        "blank": 0,
        "broken": 0,
        "elsewhere": 2,
        "empty": 0,
        "flat": 2,
        "linked": 2,
        "nothing": 0,
        "right": 2,
    }
    assert table.status["right"] == table.status["blank"] == "graded"
    assert "is no notebook" in table.status["broken"]
    assert "the file is empty" in table.status["empty"]
    assert "told by its cells" in table.repairs["elsewhere"]
    assert "no notebook in the folder" in table.status["nothing"]
    assert (out / "feedback" / "right" / UNIT / f"{UNIT}.html").exists()
    assert (out / "gradebook.db").exists()
    assert "marks: " in capsys.readouterr().out


def test_a_platforms_numbers_come_out_and_no_name_is_a_formula(
    tiny: Course, tmp_path: Path
) -> None:
    work = nbformat.writes(build.make(tiny, UNIT, tmp_path / "made").solution)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr(f"=Ada (ada@uni.example)_7_assignsubmission_file_/{UNIT}.ipynb", work)
        archive.writestr("Bob_8_assignsubmission_file_/=cmd,\n\x1b[2J.ipynb", work)
        archive.writestr("-Kim_9_assignsubmission_file_/+1.ipynb", "")
    for _ in range(2):  # the second time from the journal
        _grade(tiny, tmp_path / "all.zip", tmp_path / "out")
        text = (tmp_path / "out" / "grades.csv").read_text()
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)
        table = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
        assert table.platform_id.tolist() == ["7", "8", "9"]
        assert table.email.tolist() == ["ada@uni.example", "", ""]
        assert table.score.tolist() == ["2.0", "2.0", "0.0"]
        assert not any(each.startswith(tuple("=+-@")) for each in table.to_numpy().flatten())


def test_a_second_run_keeps_nothing_of_a_withdrawn_notebook(tiny: Course, tmp_path: Path) -> None:
    built = build.make(tiny, UNIT, tmp_path / "made")
    _hand_in(tmp_path / "in", "ada", nbformat.writes(built.solution))
    out = tmp_path / "out"
    page = out / "feedback" / "ada" / UNIT / f"{UNIT}.html"
    assert _grade(tiny, tmp_path / "in", out).score.tolist() == [2]
    assert page.exists()
    path = tmp_path / "in" / "ada" / UNIT / f"{UNIT}.ipynb"
    path.write_text(nbformat.writes(built.released))
    assert _grade(tiny, tmp_path / "in", out).score.tolist() == [0]
    for place in (tmp_path / "in", tmp_path / "in" / "out", tiny.root, tmp_path / "in" / ".."):
        with pytest.raises(CourseError, match="name a"):
            _grade(tiny, tmp_path / "in", place)


def test_an_essay_waits_for_a_person(tiny: Course, tmp_path: Path) -> None:
    tiny.text(UNIT).write_text(LESSON + ESSAY)
    built = build.make(tiny, UNIT, tmp_path / "made")
    assert "Because" not in nbformat.writes(built.released)
    answered = nbformat.from_dict(built.solution)
    answered.cells[-1].source = "It is so."
    _hand_in(tmp_path / "in", "ada", nbformat.writes(answered))
    row = _grade(tiny, tmp_path / "in", tmp_path / "out").iloc[0]
    assert (row.score, row.max_score, row.status) == (2, 6, "graded, the rest by hand")


@pytest.mark.filterwarnings("ignore:Non-unique cell id")
def test_a_cell_that_is_there_twice_is_repaired(tiny: Course, tmp_path: Path) -> None:
    built = build.make(tiny, UNIT, tmp_path / "made")
    twice = nbformat.from_dict(built.solution)
    [test] = [each for each in twice.cells if each.id == "double-test"]
    twice.cells.append(test)  # the same grade_id again: nbgrader alone would stop
    _hand_in(tmp_path / "in", "twice", nbformat.writes(twice))
    row = _grade(tiny, tmp_path / "in", tmp_path / "out").iloc[0]
    assert (row.score, row.status) == (2, "graded")
    assert "checks that stand there more than once" in row.repairs


def test_a_failure_inside_nbgrader_is_one_row(
    tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build.make(tiny, UNIT, tmp_path / "made")
    for student in ("ada", "zoe"):
        _hand_in(tmp_path / "in", student, nbformat.writes(built.solution))
    real = Grader.autograde

    def failing(grader: Grader, unit: str, student: str, outputs: dict[str, Any]) -> None:
        if student == "ada":
            raise CourseError("nbgrader Autograde: it broke")
        real(grader, unit, student, outputs)

    monkeypatch.setattr(Grader, "autograde", failing)
    table = _grade(tiny, tmp_path / "in", tmp_path / "out").set_index("student")
    assert table.score["zoe"] == 2
    assert table.status["ada"] == "nbgrader Autograde: it broke"


def test_a_full_disk_is_nobodys_zero(
    tiny: Course,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tiny.root)
    submissions, out = tmp_path / "in", tmp_path / "out"
    _hand_in(submissions, "right", nbformat.writes(build.make(tiny, UNIT, tmp_path / "m").solution))
    full = {"success": False, "log": "", "error": "sqlite3.Error: database or disk is full"}
    real = capture_log
    monkeypatch.setattr(
        "helpers.course.authoring.nbgrade.capture_log",
        lambda job: full if isinstance(job, Autograde) else real(job),
    )
    assert main([*GRADE, str(submissions), "--out", str(out)]) == 1
    assert "free some space and try again" in capsys.readouterr().err
    assert not (out / "grades.csv").exists()
