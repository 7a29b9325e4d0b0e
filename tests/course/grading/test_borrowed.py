"""Who hands in the course's own answer earns nothing with it, or a person is told."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import nbformat
import pandas as pd
import pytest
from nbformat import NotebookNode

from helpers.course.authoring import build
from helpers.course.grading import grade
from helpers.course.settings import Course
from tests.common import needs_sandbox
from tests.course.grading.borrowed import ASKED, HANDED_ON, OWN, WAYS
from tests.course.judged import scores

pytestmark = [pytest.mark.usefixtures("warm_sandboxes"), needs_sandbox]
UNIT = "02-sinusoidal"
AT_A_TIME = len(ASKED) - 1  # the last exercise asks for a class, the others for functions


def _batches() -> list[list[str]]:
    names = list(WAYS)
    return [names[n : n + AT_A_TIME] for n in range(0, len(names), AT_A_TIME)]


def _with(released: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """The cells that import, and those of the exercises with these answers."""
    notebook = nbformat.from_dict(released)
    for cell in notebook.cells:
        if cell.id in answers:
            cell.source = dedent(answers[cell.id])
    return notebook


def _graded(
    course: Course, folder: Path, unit: str, notebooks: list[NotebookNode]
) -> tuple[pd.DataFrame, list[dict[str, float]]]:
    """The table, and points by exercise."""
    for number, notebook in enumerate(notebooks):
        path = folder / "in" / f"{number:02d}" / unit / f"{unit}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    table = grade.grade(course, folder / "in", folder / "out")
    files = [
        folder / "out" / "autograded" / f"{number:02d}" / unit / f"{unit}.ipynb"
        for number in range(len(notebooks))
    ]
    return table, list(map(scores, files))


def _written(way: str, exercise: str, librarys: str, mine: str) -> str:
    code = WAYS[way].replace("LIBRARYS", librarys).replace("EXERCISE", exercise)
    return code.replace("MINE", mine)


def test_no_way_to_borrow_an_answer_earns_anything(course: Course, tmp_path: Path) -> None:
    released = build.make(course, UNIT, tmp_path / "made").released
    tried = [
        {asked[0]: (way, _written(way, *asked)) for asked, way in zip(ASKED, batch, strict=False)}
        for batch in _batches()
    ]
    notebooks = [
        _with(released, {name: code for name, (_, code) in each.items()}) for each in tried
    ]
    _, earned = _graded(course, tmp_path, UNIT, notebooks)
    assert sum(map(len, tried)) == len(WAYS) >= 16
    got = {
        way: earned[number][name]
        for number, each in enumerate(tried)
        for name, (way, _) in each.items()
    }
    assert {way: points for way, points in got.items() if points} == {}


def test_what_the_lesson_uses_earns_nothing(course: Course, tmp_path: Path) -> None:
    unit = "08-mini-bert"
    built = build.make(course, unit, tmp_path / "made")
    notebooks = [_with(built.released, {"own": code}) for code in OWN.values()]
    table, earned = _graded(course, tmp_path, unit, notebooks)
    assert [each["own"] for each in earned] == [0, 0]
    assert table["flags"].iloc[1].startswith("words in its code that no exercise needs: concurrent")


def test_a_wrong_answer_gets_no_right_one_for_the_next_exercise(
    course: Course, tmp_path: Path
) -> None:
    unit = "01-order-blind"
    built = build.make(course, unit, tmp_path / "made")
    _, earned = _graded(course, tmp_path, unit, [_with(built.released, HANDED_ON)])
    assert earned[0]["attention"] == earned[0]["masked"] == 0
