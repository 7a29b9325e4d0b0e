"""A class of hostile and broken submissions among honest ones, graded once by `course grade`."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import psutil
import pytest
from nbgrader.api import Gradebook

from helpers.course.grading import grade
from helpers.course.sandbox.process import Limits
from tests.common import NO_SANDBOX, needs_sandbox
from tests.course.grading.hostile import answers, escapes, files, limits, rows
from tests.course.grading.hostile.rows import ALL, ESCAPED, TRIED, UNIT, Row
from tests.tiers import NIGHTLY, sample

pytestmark = pytest.mark.slow

LIMITS = Limits(cell_seconds=3, notebook_seconds=45, memory=1 << 30, files=256 << 20)
ABSTRACT = "\0order-matters-hostile"  # as in escapes.py
RUN = [] if NO_SANDBOX else [sample(limits.ROWS, 3), escapes.ROWS, sample(answers.ROWS, 3)]


def _class() -> dict[str, Row]:
    """Rows by student, in the order in which two sandboxes run them: each third one is honest.

    `make test` tries a third of those that take too much or make up answers, `make nightly` all.
    """
    found = [row for part in (files.ROWS, *RUN) for row in part]
    for number in range(len(found) // 2 + 1):
        found.insert(3 * number, Row(f"honest-{number}", lambda: rows.written(rows.solved()), ALL))
    return {f"{number:03d}-{row.name}": row for number, row in enumerate(found)}


CLASS = _class()


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the class has been graded, once for all tests below."""
    folder = tmp_path_factory.mktemp("hostile")
    _grade(folder)
    return folder / "out"


def _grade(folder: Path) -> None:
    course = rows.course(folder / "course")
    with _listening() as (port, callers):
        for student, row in CLASS.items():
            path = folder / "in" / student / UNIT / f"{UNIT}.ipynb"
            path.parent.mkdir(parents=True)
            content = row.file().replace(b"@OUT@", bytes(folder / "out"))
            path.write_bytes(content.replace(b"@PORT@", str(port).encode()))
        before = _digest(folder, "in", "course")
        isolated = not NO_SANDBOX
        grade.grade(
            course, folder / "in", folder / "out", isolated=isolated, workers=2, limits=LIMITS
        )
    outside = {
        "changed files": _digest(folder, "in", "course") != before,
        "callers": callers,
        "processes": [
            " ".join(each.cmdline())
            for each in psutil.process_iter()
            if {"31415", "31416"} & set(_command(each))
        ],
        "children": [each.name() for each in psutil.Process().children() if each.name() == "bwrap"],
        "shared memory": str(0x7ACE) in Path("/proc/sysvipc/shm").read_text(),
        "keys": " trace" in Path("/proc/keys").read_text(),
    }
    (folder / "outside.json").write_text(json.dumps(outside))


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _digest(folder: Path, *names: str) -> str:
    """Of all files below."""
    found = sorted(path for name in names for path in (folder / name).rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(bytes(each) + each.read_bytes() for each in found)).hexdigest()


@contextmanager
def _listening() -> Iterator[tuple[int, list[str]]]:
    """A port, and who called there or at an abstract socket."""
    callers: list[str] = []

    def answer(listener: socket.socket) -> None:
        try:
            while True:
                listener.accept()
                callers.append(str(listener.getsockname()))
        except OSError:
            return

    with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as local:
        local.bind(ABSTRACT)
        local.listen()
        for listener in (port, local):
            threading.Thread(target=answer, args=[listener], daemon=True).start()
        yield port.getsockname()[1], callers
        for listener in (port, local):
            listener.shutdown(socket.SHUT_RDWR)


def _table(out: Path) -> pd.DataFrame:
    return pd.read_csv(out / "grades.csv", keep_default_na=False).set_index("student")


def _graded(table: pd.DataFrame) -> pd.DataFrame:
    return table[table.status.str.startswith("graded")]


def _shown(out: Path, student: str) -> str:
    """All that the cells of a graded notebook show."""
    path = out / "autograded" / student / UNIT / f"{UNIT}.ipynb"
    cells = nbformat.read(path, as_version=4).cells if path.exists() else []
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
    assert not row.name.startswith("honest") or (line["status"], line["flags"]) == ("graded", "")
    assert re.search(row.told, told), told
    assert re.search(row.shown, shown), shown[:3000]
    assert ESCAPED not in shown, shown[:3000]
    assert not row.looks or TRIED in shown, shown[:3000]


def test_everyone_has_one_row_and_the_gradebook_says_the_same(out: Path) -> None:
    table = _table(out)
    assert table.index.tolist() == list(CLASS)
    assert (_graded(table).max_score == ALL).all()
    with Gradebook(f"sqlite:///{out / 'gradebook.db'}", "order-matters") as book:
        submissions = book.assignment_submissions(UNIT)
        scores = {each.student.id: each.score for each in submissions}
        notebooks = [each for submission in submissions for each in submission.notebooks]
        by_hand = [grade.manual_score for each in notebooks for grade in each.grades]
        assert {each.name: each.max_score for each in book.assignments} == {UNIT: ALL}
    assert scores == _graded(table).score.to_dict()
    assert set(by_hand) == {None}


def test_nothing_got_out(out: Path) -> None:
    outside = json.loads((out.parent / "outside.json").read_text())
    assert not any(outside.values()), outside


def test_pages_hold_no_script(out: Path) -> None:
    pages = list((out / "feedback").rglob("*.html"))
    assert len(pages) == len(_graded(_table(out)))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<script[^>]*>[^<]*(alert|mine\(\))|<img[^>]*onerror", text), page
        assert "\x1b" not in text, page
        assert len(text) < 8 << 20, page


@needs_sandbox
def test_hostile_code_is_among_them() -> None:
    """Without a sandbox only files are tried."""
    assert sum(row.name[:6] != "honest" for row in CLASS.values()) >= (52 if NIGHTLY else 30)
