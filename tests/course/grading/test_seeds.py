"""Hidden tests ask each notebook something else, and the same when it is graded again."""

import stat
from typing import Any

import pytest
from nbformat import NotebookNode

from helpers.course.authoring.check_call import Check
from helpers.course.grading import execute
from helpers.course.grading.execute import Result
from tests.course.judged import Desk, hand_in


def test_each_notebook_has_seeds_of_its_own_and_the_same_when_graded_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[frozenset[int]] = []
    real = execute.execute

    def noted(notebook: NotebookNode, tests: dict[str, Check], *more: Any) -> Result:
        seeds.append(frozenset(test.seed for test in tests.values()))
        return real(notebook, tests, *more)

    monkeypatch.setattr(execute, "execute", noted)
    hand_in(desk.root / "in", ada=desk.work(), bob=desk.work(double="return x"))
    for _ in range(2):
        desk.grade(desk.root / "in")
        (desk.out / "gradebook.db").unlink()
    ada, bob = set(seeds)
    assert len(seeds) == 4 and len(ada | bob) == 4 and 1 not in ada | bob  # as in the source
    assert stat.S_IMODE((desk.out / "secret").stat().st_mode) == 0o600
