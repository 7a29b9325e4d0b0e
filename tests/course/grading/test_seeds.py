"""Hidden tests ask each notebook something else, and no kernel knows with what seed."""

import stat
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from helpers.course.authoring import build
from helpers.course.grading import execute, grade, judge
from helpers.course.grading.execute import Job, Outcome
from helpers.course.grading.judge import Check, drawn
from helpers.course.settings import Course
from tests.common import ISOLATED

UNIT = "00-start-here"
TELLS = """
import sys
def positions_of(*arguments, **named):
    frame, found = sys._getframe(), []
    while frame:
        found += [v for n, v in frame.f_locals.items() if n == "seed"]
        frame = frame.f_back
    SEEDS.append(found)
    raise ValueError(f"the seed is {found}")
SEEDS = []
"""


@pytest.fixture
def seeds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds of the jobs that are executed."""
    asked: list[int] = []

    def noted(job: Job) -> Outcome:
        asked.extend(test.seed for test in job.tests.values() if isinstance(test, Check))
        return real(job)

    real = execute.execute
    monkeypatch.setattr(execute, "execute", noted)
    return asked


def test_each_notebook_has_seeds_of_its_own(course: Course, tmp_path: Path) -> None:
    of_unit = judge.tests(UNIT, build.make(course, UNIT, tmp_path).instructor)
    told = [drawn(of_unit, secret, name) for secret in (b"1", b"2") for name in ("a", "b")]
    found = [test.seed for each in told for test in each.values() if isinstance(test, Check)]
    written = [test.seed for test in of_unit.values() if isinstance(test, Check)]
    assert len(set(found) | set(written)) == 5 * len(written)
    assert drawn(of_unit, b"1", "a") == told[0]


@pytest.mark.usefixtures("warm_sandboxes")
def test_a_kernel_has_no_seed_to_show(course: Course, tmp_path: Path, seeds: list[int]) -> None:
    built = build.make(course, UNIT, tmp_path / "made")
    notebook = nbformat.from_dict(built.solution)
    for number, cell in enumerate(notebook.cells):
        if cell.id == "positions":
            cell.source = TELLS
        if cell.id == "positions-test":
            after = number + 1
    notebook.cells.insert(after, v4.new_code_cell("print('they are', SEEDS[-1]); SEEDS[-1]"))
    path = tmp_path / "in" / "eve" / UNIT / f"{UNIT}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
    out = tmp_path / "out"
    for _ in range(2):
        grade.grade(course, tmp_path / "in", out, isolated=ISOLATED, workers=1)
        (out / "journal.jsonl").unlink()
    assert len(seeds) == 2 and len(set(seeds)) == 1  # graded again, asked the same
    page = (out / "feedback" / "eve" / UNIT / f"{UNIT}.html").read_text()
    assert "they are []" in page
    assert "the seed is []" in page
    files = [each for each in out.rglob("*") if each.is_file()]
    assert not [each for each in files if str(seeds[0]).encode() in each.read_bytes()]
    assert stat.S_IMODE((out / "secret").stat().st_mode) == 0o600
