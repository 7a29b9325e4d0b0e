"""Which words a person is told of; they change no mark."""

import pytest
from nbformat import v4

from helpers.course.grading import autograde
from helpers.course.grading.execute import Outcome, strange


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("sys.setprofile(None)", "setprofile"),
        ("import helpers.course.sandbox.shell", "helpers.course"),
        ("exec('x = 1')", "exec"),
        ("import helpers.checks.engine.run as e", "checks.engine"),
        ("f.__code__", "__code__"),
        ("next(map(torch._C._nn.nll_loss, logits, targets))", "torch._C"),
        ("torch.fx.Tracer().trace(bert)", "torch.fx"),
        ("from multiprocessing.pool import ThreadPool", "multiprocessing"),
        ("loop.run_in_executor(None, f)", "run_in_executor"),
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
        "from helpers.checks.engine.earlier import answers",
    ],
)
def test_an_exercise_may_look_so(code: str) -> None:
    assert strange(v4.new_notebook(cells=[v4.new_code_cell(code)])) == []


def test_locked_cells_are_the_courses_own() -> None:
    locked = v4.new_code_cell("exec('1')", metadata={"nbgrader": {"locked": True}})
    assert strange(v4.new_notebook(cells=[locked])) == []


def test_no_flag_or_note_is_a_formula_or_moves_a_terminal() -> None:
    outcome = Outcome(flags=["helpers.course;=1+1"], notes=["no package \x1b[31m;=HYPERLINK(1)"])
    made = autograde.result("01-tiny", "eve", v4.new_notebook(), outcome, [])
    assert made.flags == ["helpers.course;'=1+1"]
    assert made.repairs == ["no package \ufffd[31m;'=HYPERLINK(1)"]
