"""Which words a person is told of; they change no mark."""

import pytest
from nbformat import v4

from helpers.course.grading import autograde, execute
from helpers.course.grading.autograde import strange
from helpers.course.grading.execute import Result
from helpers.course.intake import Submission
from helpers.course.sandbox.process import Limits


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


def test_no_flag_or_note_is_a_formula_or_moves_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    came = Result(flags=["helpers.course;=1+1"], notes=["no package \x1b[31m;=HYPERLINK(1)"])
    monkeypatch.setattr(execute, "execute", lambda *_: came)
    empty = v4.new_notebook()
    eve, content = Submission("eve", "01-tiny"), v4.writes(empty).encode()
    made = autograde.autograde(eve, empty, {}, content, {}, Limits(), isolated=True)
    assert made.flags == ["helpers.course;'=1+1"]
    assert made.notes == ["no package \\x1b[31m;'=HYPERLINK(1)"]
