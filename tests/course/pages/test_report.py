"""The page about a class: its numbers, what it says of whom, and its two smallest classes."""

import base64
import hashlib
import html
import json
import os
import platform
import re
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import Browser

from helpers.course.authoring.nbgrade import gradebook
from helpers.course.cli import main
from helpers.course.grading import grade
from helpers.course.pages import items, report
from helpers.course.settings import Course
from tests.common import needs_browser, tiny_course
from tests.course.pages.entered import HINT, RIGHT, UNIT, WRONG, Classroom


def _row(student: str, **said: object) -> dict[str, object]:
    nothing = {"unit": UNIT, "score": 0, "max_score": 0, "status": "graded", "seconds": 1.0}
    return dict.fromkeys(grade.COLUMNS, "") | nothing | {"student": student} | said


def _written(course: Course, out: Path, rows: list[dict[str, object]]) -> str:
    pd.DataFrame(rows, columns=grade.COLUMNS).to_csv(out / "grades.csv", index=False)
    return report.write(course, out).read_text("utf-8")


def _section(page: str, name: str) -> str:
    """What a reader reads in one section, on one line."""
    section = page.split(f'<section aria-labelledby="{name}">')[1].split("</section>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", section)).strip()


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    root = tmp_path_factory.mktemp("report")
    made = Classroom(tiny_course(root), root / "out")
    for student in ("007", "NA", "zoe"):
        made.enter(student, WRONG)
    made.enter("ada", RIGHT)
    with Gradebook(gradebook(made.out), "order-matters") as book:
        read = book.find_grade("why", UNIT, UNIT, "ada")
        read.manual_score, read.needs_manual_grade = 3, False
        book.db.commit()
    lines = [
        {"key": name, "row": {"unit": UNIT, "student": name}, "seconds": {"double-test": seconds}}
        for name, seconds in (("ada", 9.0), ("ada", 2.0), ("zoe", 4.0), ("NA", 3.0))
    ]
    text = "\n".join(map(json.dumps, lines)) + '\n{"key": "cut off'
    (made.out / "journal.jsonl").write_text(text)
    return made


@pytest.fixture(scope="module")
def page(classroom: Classroom) -> str:
    rows = [
        _row("007", flags="the kernel was killed; no sign of life; no sign of life", seconds=7.5),
        _row("NA", repairs="double: put back; why: put back; handed in as x.ipynb"),
        _row("zoe"),
        _row("ada"),
        _row("<script>", status="not graded: the file is <b>empty</b>", unit=""),
    ]
    return _written(classroom.course, classroom.out, rows)


def test_marks_are_those_of_the_gradebook_with_what_was_given_by_hand(page: str) -> None:
    # 1 of 2, three times, with an essay of 4 points that waits, and 2 + 3 of 6
    assert f"{UNIT} 4 4 6 12 58 % 50 % 50 % 83 %" in _section(page, "marks")
    assert "40 to 50 % 0" in _section(page, "marks")
    assert "50 to 60 % 3" in _section(page, "marks")


def test_each_learner_has_a_row_with_a_link_and_what_waits(page: str) -> None:
    section = _section(page, "learners")
    assert f"learner {UNIT} sum pending" in section
    assert "007 1 1 4" in section and "ada 5 5 0" in section
    assert f'<a href="feedback/ada/{UNIT}/{UNIT}.html">5</a>' in page


def test_the_page_says_when_and_with_what_it_was_written(page: str) -> None:
    about = f"course {version('order-matters')}, Python {platform.python_version()}, torch "
    assert about in page and f"nbgrader {version('nbgrader')}" in page
    assert str(datetime.now().year) in page.split("torch")[0]


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (
            ["cgroup", "looks", "looks"],
            "processes held by cgroup for 1, by a look every quarter of a second for 2",
        ),
        (["looks", "looks", "looks"], "by a look every quarter of a second for 3"),
        (["", "", ""], "processes held not known"),
    ],
)
def test_the_page_says_what_held_memory_and_processes(
    classroom: Classroom, limits: list[str], told: str
) -> None:
    students = ("007", "NA", "zoe")
    rows = [_row(name, limits=how) for name, how in zip(students, limits, strict=True)]
    assert told in " ".join(_written(classroom.course, classroom.out, rows).split())


def test_what_waits_is_in_no_mean_and_a_hint_in_no_answer_of_its_own() -> None:
    row = {"unit": "u", "title": "t", "most": 2.0, "waiting": False}
    scores = {
        "a": (2.0, 2.0, 0.0),
        "b": (2.0, 1.0, 2.0),
        "c": (0.0, 0.0, 2.0),
        "d": (1.0, 1.0, 1.0),
    }
    grades = pd.DataFrame(
        row | {"student": who, "name": name, "title": name, "score": score}
        for who, all_scores in scores.items()
        for name, score in zip(("one", "two", "three"), all_scores, strict=True)
    )
    grades.loc[(grades.student == "d") & (grades.name == "one"), ["waiting", "score"]] = [True, 0.0]
    hinted = pd.DataFrame({"unit": ["u"], "exercise": ["two"], "student": ["c"], "hint": ["h"]})
    found = items.exercises(grades, hinted, []).set_index("name")
    assert found.learners.to_dict() == {"one": 3, "two": 4, "three": 4}
    assert found["mean"]["one"] == pytest.approx(4 / 3)
    assert found.unaided["two"] == 0.75
    rests = [(2 + 0) / 4, (1 + 2) / 4, (0 + 2) / 4]
    assert found.discrimination["one"] == pytest.approx(np.corrcoef([2, 2, 0], rests)[0, 1])
    assert found.discrimination["three"] < 0 < found.discrimination["two"] + 1
    alone = items.exercises(grades[grades.student == "a"], hinted, [])
    assert alone.discrimination.isna().all()


def test_exercises_leave_out_what_nobody_has_read(page: str) -> None:
    section = _section(page, "exercises")
    assert "Twice 2 4 1.25 62 % 25 % 0 % – 25 %" in section
    assert "Why &lt;twice&gt;? 4 1 3 75 % 0 % 0 % – –" in section


def test_a_misconception_is_counted_once_a_learner(page: str) -> None:
    section = _section(page, "misconceptions")
    assert f"3 of 4 · {UNIT} · Twice {HINT} 3 learners 007, NA, zoe" in section


def test_answers_that_wait_are_named(page: str) -> None:
    assert "Why &lt;twice&gt;? 3 learners 007, NA, zoe" in _section(page, "waiting")
    assert "<strong>3</strong> answers to read" in page


def test_flags_repairs_and_what_was_left_out_are_said_in_words(page: str) -> None:
    assert f"007 , {UNIT}: the kernel was killed; no sign of life (2 times)" in _section(
        page, "flagged"
    )
    assert f"NA , {UNIT}: put back (2 times); handed in as x.ipynb" in _section(page, "repaired")
    empty = "&lt;script&gt;, no unit: the file is &lt;b&gt;empty&lt;/b&gt;"
    assert empty in _section(page, "left-out")


def test_the_slowest_come_first_and_the_last_run_counts(page: str) -> None:
    assert f"seconds 007 {UNIT} 7.5" in _section(page, "slowest")
    assert f"{UNIT} Twice 3.00 4.00" in _section(page, "slowest")  # of 2, 3 and 4 seconds


def test_the_page_runs_nothing_and_every_link_leads_somewhere(
    page: str, classroom: Classroom
) -> None:
    script, policy = re.findall("<script>(.*?)</script>", page, re.DOTALL), html.unescape(page)
    assert len(script) == 1 == page.count("<script>")  # ours, which the policy names
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert "default-src 'none'" in html.unescape(page)
    assert all(re.findall(r'<img src="data:image/svg\+xml;base64,[^"]+" alt="([^"]*)"', page))
    assert page.count("<img") == 2
    for link in re.findall(r'href="([^"]+)"', page):
        place = f'id="{link[1:]}"' in page if link[0] == "#" else (classroom.out / link).exists()
        assert place, link


def test_a_class_of_which_nobody_is_graded(tmp_path: Path) -> None:
    (out := tmp_path / "out").mkdir()
    page = _written(tiny_course(tmp_path), out, [_row("ada", status="not graded: empty")])
    assert "Nobody has been graded." in _section(page, "marks")
    assert "ada, 01-tiny: empty" in _section(page, "left-out")
    assert 'id="exercises"' not in page and not (out / "gradebook.db").exists()
    assert "0 notebooks of 0 learners" in _written(tiny_course(tmp_path / "b"), out, [])


def test_a_class_of_one(classroom: Classroom) -> None:
    page = _written(classroom.course, classroom.out, [_row("zoe")])
    assert "1 notebook of 1 learner<" in page
    assert f"{UNIT} 1 1 6 4 50 % 50 % 50 % 50 %" in _section(page, "marks")
    assert "Twice 2 1 1 50 % 0 % 0 % – 0 %" in _section(page, "exercises")


def test_each_unit_has_its_own_numbers_and_a_learner_the_sum(tiny: Course, tmp_path: Path) -> None:
    for unit, handed_in in ((UNIT, {"ada": WRONG}), ("02-later", {"ada": RIGHT, "bob": WRONG})):
        made = Classroom(tiny, tmp_path / "out", unit)
        for student, checked in handed_in.items():
            made.enter(student, checked)
    rows = [_row("ada"), *(_row(who, unit="02-later") for who in ("ada", "bob"))]
    page = _written(tiny, made.out, rows)
    assert "ada 1 2 3 8 bob – 1 1 4" in _section(page, "learners")
    given = re.findall(r"1 of (\d) · (\S+) ·", _section(page, "misconceptions"))
    assert given == [("1", UNIT), ("2", "02-later")]


def test_the_command(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(classroom.course.root)
    _written(classroom.course, classroom.out, [_row("zoe")])
    (classroom.out / "report.html").unlink()
    assert main(["report", str(classroom.out)]) == 0
    assert (classroom.out / "report.html").exists()
    assert "report.html" in capsys.readouterr().out
    assert main(["report", "elsewhere"]) == 1
    assert "elsewhere holds no grades.csv" in capsys.readouterr().err


@needs_browser
def test_in_a_browser_tables_are_sorted_and_fit(
    browser: Browser, page: str, tmp_path: Path
) -> None:
    (tmp_path / "report.html").write_text(page)
    shown = browser.new_page(viewport={"width": 390, "height": 800})
    shown.goto(f"file://{tmp_path}/report.html")
    table = shown.locator("section[aria-labelledby=learners] table")
    names = table.locator("tbody th")
    assert names.all_inner_texts() == ["007", "<script>", "NA", "ada", "zoe"]
    table.get_by_role("button", name="sum").click()
    table.get_by_role("button", name="sum").click()
    assert names.all_inner_texts()[0] == "ada"
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("sum")
    assert shown.evaluate("document.documentElement.scrollWidth") == 390
    for scheme in ("light", "dark"):
        shown.emulate_media(color_scheme=scheme)
        if folder := os.environ.get("ORDER_MATTERS_SCREENSHOT"):
            shown.set_viewport_size({"width": 1000, "height": 800})
            shown.screenshot(path=f"{folder}/report-{scheme}.png", full_page=True)
    shown.close()
