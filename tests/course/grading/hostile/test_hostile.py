"""A class of hostile submissions among honest ones, graded once by `course grade`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import psutil
import pytest

from helpers.course.grading import grade
from helpers.course.sandbox.process import Limits
from tests.common import needs_sandbox
from tests.course.grading.hostile import rows
from tests.course.grading.hostile.attacks import FORGING, TAKING
from tests.course.grading.hostile.rows import ALL, UNIT, Row
from tests.course.judged import book, hand_in, marks
from tests.tiers import sample

pytestmark = [pytest.mark.slow, needs_sandbox]

LIMITS = Limits(cell_seconds=3, notebook_seconds=45, memory=1 << 30, files=256 << 20)


def _class() -> dict[str, Row]:
    """Rows by student, in the order in which two sandboxes run them: each third one is honest.

    `make test` tries a third of the others, `make nightly` all.
    """
    found = [*sample(TAKING, 3), *sample(FORGING, 3)]
    for number in range(len(found) // 2 + 1):
        found.insert(3 * number, Row(f"honest-{number}"))
    return {f"{number:03d}-{row.name}": row for number, row in enumerate(found)}


CLASS = _class()


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the class has been graded, once for all tests below."""
    folder = tmp_path_factory.mktemp("hostile")
    out, course = folder / "out", rows.course(folder / "course")
    hand_in(folder / "in", UNIT, **{name: row.notebook(out) for name, row in CLASS.items()})
    grade.grade(course, folder / "in", out, workers=2, limits=LIMITS)
    return out


def _table(out: Path) -> pd.DataFrame:
    return pd.read_csv(out / "grades.csv", keep_default_na=False).set_index("student")


def _shown(out: Path, student: str) -> str:
    """All that the cells of a graded notebook show."""
    path = out / "autograded" / student / UNIT / f"{UNIT}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    outputs: list[Any] = [each for cell in cells for each in cell.get("outputs", [])]
    return "\n".join(
        f"{each.get('ename')} {each.get('evalue')} {each.get('text')} {each.get('data')}"
        for each in outputs
    )


@pytest.mark.parametrize("student", CLASS)
def test_a_submission_gets_what_it_deserves_and_a_reason(out: Path, student: str) -> None:
    row, line = CLASS[student], _table(out).loc[student]
    told = " | ".join([line["status"], line["flags"], line["repairs"]])
    shown = _shown(out, student)
    assert line["score"] == row.marks, told
    assert line["status"], "everyone is told what became of it"
    assert re.search(row.told, told), told
    assert re.search(row.shown, shown), shown[:3000]
    assert not row.name.startswith("honest") or (line["status"], line["flags"]) == ("graded", "")


def test_everyone_has_one_row_and_the_gradebook_says_the_same(out: Path) -> None:
    table = _table(out)
    assert table.index.tolist() == list(CLASS) and (table.max_score == ALL).all()
    assert marks(out, UNIT) == table.score.to_dict()
    with book(out) as found:
        submissions = found.assignment_submissions(UNIT)
        notebooks = [each for submission in submissions for each in submission.notebooks]
        assert {grade.manual_score for each in notebooks for grade in each.grades} == {None}


def test_nothing_is_left_running(out: Path) -> None:
    commands = [each.info["cmdline"] or [] for each in psutil.process_iter(["cmdline"])]
    assert not [each for each in commands if "31415" in each]
    assert not [each for each in psutil.Process().children() if each.name() == "bwrap"]


def test_pages_hold_no_script(out: Path) -> None:
    pages = list((out / "feedback").rglob("*.html"))
    assert len(pages) == len(CLASS)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<script[^>]*>[^<]*(alert|mine\(\))|<img[^>]*onerror", text), page
        assert "\x1b" not in text, page
        assert len(text) < 8 << 20, page
