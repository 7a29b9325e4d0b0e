"""Which code looks like no exercise, however it is written."""

import pytest
from nbformat import v4

from helpers.course.grading.words import strange


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("f.__\uff43ode__", "__code__"),
        ("check . table . reference", ".reference"),
        ("getattr(x, 'set' + 'pro' + 'file')", "setprofile"),
        ("getattr(x, 'set' 'profile')", "setprofile"),
        ("!cp a b\nx = 1", "!cp a b"),
        ("!pip install a; cp a b", "!pip install a; cp a b"),
        ("x.draw(part, 7)", ".draw"),
        ("%time x . reference", ".reference"),
        ("open('x')", "open"),
    ],
)
def test_it_is_seen(code: str, word: str) -> None:
    notebook = v4.new_notebook(cells=[v4.new_code_cell(code)])
    assert strange(notebook) == [word]


@pytest.mark.parametrize(
    "code",
    [
        *("model.eval()", "# it has no reference", "reopen(1)", "x != 1", "figure.canvas.draw()"),
        *("!pip install d2l==1.0.3", "  !pip install --no-deps d2l\nx = 1", "!nvidia-smi", "!ls"),
    ],
)
def test_an_exercise_may_look_so(code: str) -> None:
    assert strange(v4.new_notebook(cells=[v4.new_code_cell(code)])) == []


def test_locked_cells_are_the_courses_own() -> None:
    locked = v4.new_code_cell("exec('1')", metadata={"nbgrader": {"locked": True}})
    assert strange(v4.new_notebook(cells=[locked])) == []
