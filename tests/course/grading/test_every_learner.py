"""Everybody who hands in gets a page: what counted, what was repaired, why there are no marks."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat import v4

from helpers.course import export, report, servers
from helpers.course.cli import main
from helpers.course.grading.gradebook import NO_UNIT, refresh
from tests.course.judged import UNIT, Desk, book, give, hand_in


def _read(desk: Desk, student: str, unit: str = UNIT) -> str:
    """What a reader reads on a page, on one line."""
    page = desk.page(student, unit).split("</head>")[1]
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_page_says_which_notebook_counts_and_what_was_repaired(desk: Desk) -> None:
    place = desk.hand_in(ada=desk.work(), bob=desk.work())
    notebook = nbformat.reads(desk.work(), as_version=4)
    notebook.cells = [c for c in notebook.cells if not c.source.startswith("# CHECK triple")]
    (place / "ada" / UNIT / "mine.ipynb").write_text(nbformat.writes(notebook))
    (place / "ada" / UNIT / f"{UNIT}.ipynb").write_text("{")
    rows = desk.grade(place).set_index("student")
    told = [
        "of 2 notebooks, this counts: mine.ipynb",
        "triple-test: the cell was missing, put back",
    ]
    for each in told:
        assert each in _read(desk, "ada") and each in rows.repairs["ada"]
    assert "About what you handed in" not in _read(desk, "bob")
    (place / "ada" / UNIT / "second.ipynb").write_text(nbformat.writes(notebook))
    desk.grade(place)  # the notebook that counts is the same; of how many is not
    assert "of 3 notebooks, this counts" in _read(desk, "ada")


def test_who_cannot_be_graded_is_told_why(desk: Desk) -> None:
    place = desk.hand_in(ada=desk.work(), bob=desk.work()[:-9], eve="<html>")
    (place / "kim").mkdir()
    (place / "kim" / "essay.ipynb").write_text('{"cells": []}')
    rows = desk.grade(place).set_index("student")
    assert "breaks off" in _read(desk, "bob") and "a web page, no notebook" in _read(desk, "eve")
    assert "are those of a unit" in _read(desk, "kim", NO_UNIT)
    for who in ("bob", "eve", "kim"):
        assert "could not be graded" in _read(desk, who, rows.unit[who] or NO_UNIT)
    page = report.write(desk.course, desk.out, refresh(desk.out)).read_text()
    assert f'href="feedback/bob/{UNIT}/{UNIT}.html"' in page

    hand_in(place, bob=desk.work(), ada="{", kim=desk.work())
    (place / "kim" / "essay.ipynb").unlink()
    desk.grade(place)
    assert "4 of 4 points" in _read(desk, "bob") and "could not be graded" in _read(desk, "ada")
    assert "4 of 4" in _read(desk, "kim") and not (desk.out / "feedback/kim" / NO_UNIT).exists()
    hand_in(place, ada=desk.work())  # as it was first
    assert desk.grade(place).score.tolist() == ["4.0", "4.0", "0.0", "4.0"]
    assert "4 of 4 points" in _read(desk, "ada")


def test_these_pages_go_out_too_and_the_exchange_finds_them(desk: Desk) -> None:
    named = "{}_{}_assignsubmission_file_/{}"
    work = {
        named.format("Ada", 1, f"{UNIT}.ipynb"): desk.work(),
        named.format("Bob", 2, "essay.docx"): "PK",
    }
    desk.grade(desk.archive(**work), platform="moodle")
    sheet = desk.root / "sheet.csv"
    sheet.write_text("Identifier,Grade,Last modified (grade)\nParticipant 1,,-\nParticipant 2,,-\n")
    export.export(desk.out, "moodle", sheet, "", "")
    with zipfile.ZipFile(desk.out / "export" / f"{UNIT}-moodle-feedback.zip") as archive:
        pages = {name: archive.read(name).decode() for name in archive.namelist()}
    assert "no notebook, but essay.docx" in pages.pop(
        f"Bob_2_assignsubmission_file_/{NO_UNIT}.html"
    )
    assert list(pages) == [f"Ada_1_assignsubmission_file_/{UNIT}.html"]

    place = desk.hand_in(eve="{")
    (place / "kim" / UNIT).mkdir(parents=True)
    for student in ("eve", "kim"):
        (place / student / UNIT / "submission_secret.txt").write_text(student)
    desk.grade(place)
    for student in ("eve", "kim"):
        secret = desk.out / "feedback" / student / UNIT / "submission_secret.txt"
        assert secret.read_text() == student


def test_marks_given_in_formgrader_are_everywhere_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.grade(desk.hand_in(ada=desk.work(), bob=desk.work()))
    seen = []

    def run(_words: object, _folder: Path, meanwhile: object) -> int:
        for points in (1, 0.5):
            give(desk.out, "ada", manual_score=points)
            meanwhile()  # type: ignore[operator]
            rows = pd.read_csv(desk.out / "grades.csv").set_index("student")
            seen.append((rows.score["ada"], rows.score["bob"], _read(desk, "ada")[:90]))
        give(desk.out, "bob", manual_score=0)
        return 0

    monkeypatch.setattr(servers, "run", run)
    monkeypatch.chdir(desk.course.root)
    assert main(["formgrade", str(desk.out), "--no-browser"]) == 0
    assert [each[:2] for each in seen] == [(2, 4), (1, 4)]
    assert "2 of 4 points" in seen[0][2] and "1 of 4 points" in seen[1][2]
    assert "0 of 4 points" in _read(desk, "bob")  # given last, before Ctrl-C
    assert "report: " in capsys.readouterr().out

    give(desk.out, "bob", manual_score=1.5)
    assert main(["report", str(desk.out)]) == 0
    table = (desk.out / "grades.csv").read_text()
    assert f"bob,{UNIT},3.0" in table and "3 of 4 points" in _read(desk, "bob")


def test_whom_nbgrader_removes_has_no_row_and_no_marks(desk: Desk) -> None:
    desk.grade(desk.hand_in(ada=desk.work(), bob=desk.work(), eve="{"))
    with book(desk.out) as found:
        found.remove_submission(UNIT, "ada")
        for student in ("bob", "eve"):
            found.remove_student(student)
    [row] = refresh(desk.out).itertuples()
    assert row.student == "ada" and "holds no marks" in row.status and row.score == 0
    (roster := desk.root / "roster.csv").write_text("login\nada\nbob\n")
    rows = desk.grade(hand_in(desk.root / "next", ada=desk.work()), people=roster)
    assert rows.score.tolist() == ["4.0", "0.0"]  # bob's do not come back with his name
    assert rows.status[1] == "not graded: nothing handed in"


def test_a_learner_asks_for_a_regrade(desk: Desk) -> None:
    notebook = nbformat.reads(desk.work(triple="return x"), as_version=4)
    notebook.cells += [
        v4.new_markdown_cell("**Regrade:** triple(x) is <x>, *as you asked*."),
        v4.new_markdown_cell("Regrades take a week."),
    ]
    desk.grade(desk.hand_in(ada=notebook, bob=desk.work()))
    page = report.write(desk.course, desk.out, refresh(desk.out)).read_text()
    flagged = page.split('<section aria-labelledby="flagged">')[1].split("</section>")[0]
    assert "asks for a regrade: triple(x) is &lt;x&gt;, *as you asked*." in flagged
    assert "bob" not in flagged and "week" not in flagged


def test_who_ends_the_command_ends_the_server() -> None:
    inner = "import time; print('started', flush=True); time.sleep(600)"
    words = [sys.executable, "-c", inner]
    outer = f"from helpers.course import servers; raise SystemExit(servers.run({words!r}, '.'))"
    with subprocess.Popen([sys.executable, "-c", outer], stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"started\n"
        process.terminate()
        assert process.stdout.read() == b""  # which waits for all that have it
        assert process.wait() != 0
