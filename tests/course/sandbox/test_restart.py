"""A cell that ends the kernel costs itself alone."""

from dataclasses import replace
from unittest.mock import Mock

import pytest
from nbformat import v4

from helpers.course.grading.execute import Result, execute
from helpers.course.intake.lesson import UNCHANGED
from helpers.course.sandbox import pool
from helpers.course.sandbox.process import Limits
from helpers.course.sandbox.session import Session
from helpers.course.settings import CourseError
from tests.common import ISOLATED
from tests.course.sandbox.conftest import LIMITS

pytestmark = pytest.mark.usefixtures("warm_sandboxes")
HANGS = "while True:\n    try:\n        import time; time.sleep(9)\n    except BaseException: pass"


def _executed(*codes: str) -> tuple[Result, str]:
    """What becomes of these cells; and what the last of them shows."""
    notebook = v4.new_notebook(cells=[v4.new_code_cell(code) for code in codes])
    result = execute(notebook, {}, LIMITS, ISOLATED)
    shown = notebook.cells[-1].outputs
    return result, shown[-1].data["text/plain"] if "data" in shown[-1] else shown[-1].evalue


@pytest.mark.rotating
@pytest.mark.parametrize(
    ("ends", "reason"),
    [
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import os; os.closerange(0, 256)", "ended itself"),
        (HANGS, "did not stop"),
    ],
)
def test_all_other_cells_count(ends: str, reason: str) -> None:
    result, shown = _executed("x = 1", f"def half(y): return y / 2\n{ends}", "z = 3", "half(x) + z")
    assert shown == "3.5"
    [flag] = result.flags
    assert flag.startswith("cell 2: ") and reason in flag


def test_cells_of_the_lesson_that_end_the_kernel_cost_no_answer() -> None:
    """As where one calls a learner's function with what that cannot bear."""
    ends = "def half(x):\n    return x / 2 if x else __import__('os')._exit(1)"
    lesson = v4.new_code_cell("import math\nhalf(0)", metadata={UNCHANGED: True})
    cells = [v4.new_code_cell(ends), lesson, v4.new_code_cell("half(6) + math.floor(0.5)")]
    result = execute(v4.new_notebook(cells=cells), {}, LIMITS, ISOLATED)
    assert cells[-1].outputs[0].data["text/plain"] == "3.0"
    [flag] = result.flags
    assert flag.startswith("the lesson's cells before cell 3: the kernel ended itself")


def test_a_notebook_that_ends_each_kernel_is_given_up() -> None:
    result, shown = _executed(*["import os; os._exit(0)"] * 9, "1")
    assert "status 0" in shown and len(result.flags) <= 6


@pytest.mark.rotating
@pytest.mark.parametrize(("seconds", "reason"), [(4, ""), (30, "cell 2: this took more than")])
def test_cells_of_the_lesson_have_more_time_and_are_never_cut_in_silence(
    seconds: int, reason: str
) -> None:
    lesson = v4.new_code_cell(f"import time; time.sleep({seconds}); x = 6")
    lesson.metadata[UNCHANGED] = True
    notebook = v4.new_notebook(cells=[lesson, v4.new_code_cell("7 * x")])
    result = execute(notebook, {}, replace(LIMITS, notebook_seconds=24), ISOLATED)
    [shown] = notebook.cells[-1].outputs
    assert shown.get("ename") == ("NameError" if reason else None)
    assert len(result.flags) == bool(reason) and reason in "".join(result.flags)


def test_cells_are_run_again_only_while_there_is_time() -> None:
    cells = [v4.new_code_cell("import time; time.sleep(0.9)") for _ in range(5)]
    notebook = v4.new_notebook(cells=[*cells, v4.new_code_cell("import os; os._exit(0)")])
    result = execute(notebook, {}, replace(LIMITS, notebook_seconds=6), ISOLATED)
    assert result.seconds < 8 and "the notebook took more than 6 s" in result.flags


def test_what_a_kernel_leaves_is_never_the_next_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "close", lambda _: False)
    with pytest.raises(CourseError, match="did not end a kernel"):
        _executed("import os; os._exit(0)")


def test_what_is_missing_here_is_noted_once() -> None:
    result, _ = _executed("import nothing_here", "import nothing_here", "input()", "1")
    assert len(result.notes) == 2
    assert result.notes[0].startswith("No module named 'nothing_here' where")
    assert "input()" in result.notes[1]


@pytest.mark.parametrize("isolated", [True, False])
def test_a_sandbox_is_used_again_only_where_it_isolates_as_asked(
    isolated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle = Mock(limits=Limits(), isolated=isolated, **{"process.poll.return_value": None})
    monkeypatch.setattr(pool, "_idle", [idle])
    assert pool._idle_one(Limits(), not isolated) is None and idle.close.called
    monkeypatch.setattr(pool, "_idle", [idle])
    assert pool._idle_one(Limits(), isolated) is idle
