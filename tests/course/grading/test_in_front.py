"""What learners look at in front of an answer may not be there where a class is graded."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from helpers.course.authoring import build
from helpers.course.grading import grade
from helpers.course.settings import Course
from tests.common import ISOLATED
from tests.course.judged import hand_in, scores

# Unit, exercise, a line in front of the answer: a value of the lesson, what a cell that trains
# binds, a name that the cell binds perhaps, one in a text, and one that is no name.
IN_FRONT = [
    ("04-relative", "values", "print(shaw.keys.shape)"),
    ("08-mini-bert", "parameters", "print(sum(p.numel() for p in model.parameters()))"),
    ("10-longer", "ramp", "print(right_base)"),
    ("01-order-blind", "heads", "if False: attend = None"),
    ("03-learned", "summary", "print(len(pd.DataFrame({'a': [600]}).query('a > @rows')))"),
    ("02-sinusoidal", "table", "print(nothing_of_that_name)"),
]


@pytest.mark.rotating
@pytest.mark.usefixtures("warm_sandboxes")
def test_a_line_in_front_of_an_answer_costs_nothing(course: Course, tmp_path: Path) -> None:
    for unit, exercise, line in IN_FRONT:
        notebook = nbformat.from_dict(build.make(course, unit, tmp_path / "made").solution)
        [cell] = [each for each in notebook.cells if each.id == exercise]
        cell.source = f"{line}\n{cell.source}"
        hand_in(tmp_path / "in", unit, ada=notebook)
    grade.grade(course, tmp_path / "in", tmp_path / "out", isolated=ISOLATED)
    for unit, exercise, line in IN_FRONT:
        graded = tmp_path / "out" / "autograded" / "ada" / unit / f"{unit}.ipynb"
        [check] = [c for c in nbformat.read(graded, 4).cells if c.id == f"{exercise}-test"]
        assert scores(graded)[exercise] == check.metadata.nbgrader.points, line
