"""Which words a person is told of; they change no mark."""

import pytest
from nbformat import v4

from helpers import checks
from helpers.course.grading.words import named, strange


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("sys.setprofile(None)", "setprofile"),
        ("import helpers.course.sandbox.kernel", "helpers.course"),
        ("exec('x = 1')", "exec"),
        ("import helpers.checks.engine.questions as e", "checks.engine"),
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


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("attention", "f = partial(F.scaled_dot_product_attention)", True),
        ("heads", "f = partial(F.scaled_dot_product_attention)", False),  # it may call this
        ("attention", "F.softmax(scores, -1)", False),
        ("attention", "f = torch.nn.functional.scaled_dot_product_attention", True),
        ("my-own-cell", "F.scaled_dot_product_attention(q, k, v)", False),  # to compare with
    ],
)
def test_an_answer_that_names_what_it_may_not_call(name: str, code: str, told: bool) -> None:
    cell = v4.new_code_cell(code, metadata={"nbgrader": {"grade_id": name}})
    said = named(v4.new_notebook(cells=[cell]), checks.exercises("01-order-blind"))
    function = "scaled_dot_product_attention"
    assert said == [f"the answer to {name} names {function}, which it may not call"] * told


def test_a_name_that_several_functions_have_is_told_once() -> None:
    cell = v4.new_code_cell("map(nll_loss, x, y)", metadata={"nbgrader": {"grade_id": "loss"}})
    said = named(v4.new_notebook(cells=[cell]), checks.exercises("08-mini-bert"))
    assert said == ["the answer to loss names nll_loss, which it may not call"]
