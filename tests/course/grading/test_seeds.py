"""Hidden tests ask each notebook something else, and the same when it is graded again."""

import stat
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

from helpers.course.authoring import build
from helpers.course.grading import execute, grade, judge
from helpers.course.grading.execute import Outcome
from helpers.course.grading.judge import Check, with_seeds
from helpers.course.settings import Course
from tests.common import ISOLATED
from tests.course.judged import hand_in

UNIT = "00-start-here"


def test_each_notebook_has_seeds_of_its_own(course: Course, tmp_path: Path) -> None:
    of_unit = judge.tests(UNIT, build.make(course, UNIT, tmp_path).instructor)
    told = [with_seeds(of_unit, secret, name) for secret in (b"1", b"2") for name in ("a", "b")]
    found = [test.seed for each in told for test in each.values()]
    written = [test.seed for test in of_unit.values()]
    assert len(set(found) | set(written)) == 5 * len(written)
    assert with_seeds(of_unit, b"1", "a") == told[0]


@pytest.mark.rotating
@pytest.mark.usefixtures("warm_sandboxes")
def test_a_notebook_graded_again_is_asked_the_same(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []
    real = execute.execute

    def noted(notebook: NotebookNode, tests: dict[str, Check], *more: Any) -> Outcome:
        seeds.extend(test.seed for test in tests.values())
        return real(notebook, tests, *more)

    monkeypatch.setattr(execute, "execute", noted)
    notebook = build.make(course, UNIT, tmp_path / "made").solution
    hand_in(tmp_path / "in", UNIT, ada=notebook)
    out = tmp_path / "out"
    for _ in range(2):
        grade.grade(course, tmp_path / "in", out, isolated=ISOLATED, workers=1)
        (out / "gradebook.db").unlink()
    assert len(seeds) == 2 and len(set(seeds)) == 1
    assert stat.S_IMODE((out / "secret").stat().st_mode) == 0o600
