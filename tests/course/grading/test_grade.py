"""`course grade`: one bad notebook costs nobody else anything, and nobody is left out."""

import io
import re
import zipfile
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from helpers.course.authoring import build
from helpers.course.cli import main
from helpers.course.grading import grade
from helpers.course.settings import Course
from tests.common import ISOLATED
from tests.course.judged import hand_in

pytestmark = pytest.mark.usefixtures("warm_sandboxes")
UNIT = "01-tiny"
GRADE = ["grade", *([] if ISOLATED else ["--no-sandbox"])]


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
    hand_in(submissions, right=built.solution, blank=built.released, broken="{", empty="")
    hand_in(submissions, "42-unknown", elsewhere=built.solution)
    (submissions / "nothing" / UNIT).mkdir(parents=True)
    (submissions / "flat").mkdir()
    (submissions / "flat" / f"{UNIT}.ipynb").write_text(nbformat.writes(built.solution))
    hand_in(submissions, linked=built.solution)
    (submissions / "linked" / UNIT / "data").symlink_to("/no/such/file")
    assert main([*GRADE, str(submissions), "--out", str(out)]) == 0

    table = pd.read_csv(out / "grades.csv").set_index("student")
    names = ("blank", "broken", "elsewhere", "empty", "flat", "linked", "nothing", "right")
    assert table.score.to_dict() == dict(zip(names, (0, 0, 2, 0, 2, 2, 0, 2), strict=True))
    assert table.status["right"] == table.status["blank"] == "graded"
    assert "is no notebook" in table.status["broken"]
    assert "the file is empty" in table.status["empty"]
    assert "handed in as 42-unknown.ipynb" in table.repairs["elsewhere"]
    assert "no notebook in the folder" in table.status["nothing"]
    assert (out / "feedback" / "right" / UNIT / f"{UNIT}.html").exists()
    assert (out / "gradebook.db").exists()
    assert "marks: " in capsys.readouterr().out


def test_a_platforms_numbers_come_out_and_no_name_is_a_formula(
    tiny: Course, tmp_path: Path
) -> None:
    work = nbformat.writes(build.make(tiny, UNIT, tmp_path / "made").solution)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr(f"=Ada_7_assignsubmission_file_/{UNIT}.ipynb", work)
        archive.writestr("Bob_8_assignsubmission_file_/=cmd,\n\x1b[2J.ipynb", work)
        archive.writestr("-Kim_9_assignsubmission_file_/+1.ipynb", "")
        archive.writestr("Zoe_10_assignsubmission_file_/;=\x1b[2J\n.txt", "")
    for _ in range(2):  # the second time from the journal
        out = tmp_path / "out"
        grade.grade(tiny, tmp_path / "all.zip", out, isolated=ISOLATED, platform="moodle")
        text = (out / "grades.csv").read_text()
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)
        table = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
        assert table.platform_id.tolist() == ["7", "8", "9", "10"]
        assert table.score.tolist() == ["2.0", "2.0", "0.0", "0.0"]
        assert table.status[3] == r"not graded: no notebook, but ;'=\x1b[2J\n.txt"
        assert not any(each.startswith(tuple("=+-@")) for each in table.to_numpy().flatten())
