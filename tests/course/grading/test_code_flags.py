"""Which words a person is told of; they change no mark."""

import pytest
from nbformat import v4

from helpers.course.grading import autograde
from helpers.course.grading.execute import Outcome, strange


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("import helpers.course.sandbox.shell", "helpers.course"),
        ("exec('x = 1')", "exec"),
        ("f.__code__", "__code__"),
        ("next(map(torch._C._nn.nll_loss, logits, targets))", "torch._C"),
        ("from multiprocessing.pool import ThreadPool", "multiprocessing"),
    ],
)
def test_it_is_told(code: str, word: str) -> None:
    notebook = v4.new_notebook(cells=[v4.new_code_cell(code)])
    assert strange(notebook) == [word]


@pytest.mark.parametrize(
    "code",
    [
        *("model.eval()", "eval('1+1')", "open('x')", "x != 1", "figure.canvas.draw()"),
        *("fx = f(x)", "re.compile('x')", "compile('1', '', 'eval')", "await asyncio.sleep(0.1)"),
        *("!pip install d2l==1.0.3", "!ls", "def __eq__(self, other): ...", "a.execute()"),
        "from helpers.checks.earlier import answers",
    ],
)
def test_an_exercise_may_look_so(code: str) -> None:
    locked = v4.new_code_cell("exec('1')", metadata={"nbgrader": {"locked": True}})  # the course's
    assert strange(v4.new_notebook(cells=[v4.new_code_cell(code), locked])) == []


def test_no_flag_or_note_is_a_formula_or_moves_a_terminal() -> None:
    outcome = Outcome(flags=["helpers.course;=1+1"], notes=["no package \x1b[31m;=HYPERLINK(1)"])
    made = autograde.result("01-tiny", "eve", v4.new_notebook(), outcome, [])
    assert made.flags == ["helpers.course;'=1+1"]
    assert made.repairs == ["no package \\x1b[31m;'=HYPERLINK(1)"]
