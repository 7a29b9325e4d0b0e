"""Of a lesson only what answers and the learner's own cells use is run where a class is graded."""

from __future__ import annotations

import time
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode, v4

from helpers.course.authoring import build
from helpers.course.authoring.source import TRAINING
from helpers.course.grading import judge
from helpers.course.intake.names import PATIENCE, names
from helpers.course.intake.needed import SKIPPED, code, handed_on, skip
from helpers.course.settings import Course
from tests.common import UNITS


@pytest.mark.parametrize(
    ("cell", "used", "bound"),
    [
        ("x = x + 1", "x", "x"),
        ("total += 1", "total", "total"),
        ("for a in xs:\n    b = a + c\n    a = 3", "xs c", "a b"),
        ("def f(q):\n    return g(q) + f(1)", "g", "f"),
        ("class C(B):\n    y = z", "B z", "C"),
        ("from helpers import encodings as e\ne.x", "", "e"),
        ("with open(n) as h:\n    h.read()", "n", "h"),
        ("sum = 3\nprint(sum, T)", "T", "sum"),
        ("[k for k in ks]", "ks", ""),
        ("print(f'{a.b}')", "a", ""),
        ("lambda a: a + w", "w", ""),
        ("del y", "y", ""),
        ("eval('weights.sum()')", "eval weights sum", ""),
        ("%timeit attend(q)", "timeit attend q", "timeit attend q"),
        ("await later()", "later", ""),
        ("from math import *\nsin(b)", "sin b", "math.*"),
        ("try:\n    b\nexcept NameError:\n    c", "b NameError c", ""),
        ("b" + " + b" * 10_000, "b", "b"),
        ("def f():\n    global T\n    return T", "", "T f"),
        ("if far:\n    D = 16\nD", "far", "D"),
        ("for each in []:\n    go = each\ngo", "", "each go"),
        ("try:\n    import w\nexcept ImportError:\n    pass", "", "w"),
        ("if far:\n    def w(): ...", "far", "w"),
        ("runs.query('n <= @rows')  # of all", "runs query n rows", ""),
        ("g.__globals__['w']", "g __globals__ w", ""),
        ("outcome('far', x)", "outcome x prediction far", ""),
        ("def broken(:", "def broken", "def broken"),
    ],
)
def test_what_a_cell_uses_and_binds(cell: str, used: str, bound: str) -> None:
    found = names(cell)
    wanted = {*used.replace("prediction far", "").split()}
    wanted |= {"prediction far"} if "prediction far" in used else set()
    assert (set(found.used), set(found.bound)) == (wanted, {*bound.split()})


@pytest.mark.parametrize(
    ("cell", "perhaps"),
    [
        ("def f():\n    global T\n    return T", "T"),
        ("if far:\n    D = 16\nD", "D"),
        ("for each in []:\n    go = each\ngo", "go"),
        ("try:\n    import w.v\nexcept ImportError:\n    w = None", "w"),
        ("with open(n) as h:\n    def g(): ...", "g"),
        ("D = 16\nfor x in range(D):\n    print(x)", ""),
    ],
)
def test_what_a_cell_binds_perhaps(cell: str, perhaps: str) -> None:
    assert names(cell).perhaps == {*perhaps.split()}


def _lesson(*sources: str) -> NotebookNode:
    return v4.new_notebook(cells=[v4.new_code_cell(each) for each in sources])


def _run(mine: NotebookNode, lesson: NotebookNode) -> list[str]:
    skip(mine, lesson)
    return [c.source for c in mine.cells if SKIPPED not in c.metadata.get("tags", [])]


LESSON = (
    "import math",
    "a = math.pi",
    "b = 2 * a",
    "show(b)",
    "def late():\n    return far",
    "far = b",
)


@pytest.mark.parametrize(
    ("mine", "runs"),
    [
        ("print(1)", ""),
        ("print(math.e)", "import math"),
        ("print(b)", "import math|a = math.pi|b = 2 * a"),
        ("eval('a')", "import math|a = math.pi"),
        ("%time a", "import math|a = math.pi"),
        ("late()", "import math|a = math.pi|b = 2 * a|def late():\n    return far|far = b"),
    ],
)
def test_what_the_learner_uses_is_run_with_all_that_it_needs(mine: str, runs: str) -> None:
    run = _run(_lesson(*LESSON, mine), _lesson(*LESSON))
    assert run == [*filter(None, runs.split("|")), mine]


def test_a_cell_of_the_lesson_that_was_changed_is_the_learners() -> None:
    changed = [each.replace("show(b)", "show(a)") for each in LESSON]
    assert _run(_lesson(*changed), _lesson(*LESSON)) == ["import math", "a = math.pi", "show(a)"]


def test_a_prediction_goes_with_its_outcome() -> None:
    lesson = _lesson("predict('far', 'Where?')", "b = 1\noutcome('far', b)", "predict('near', '')")
    mine = _lesson(*(cell.source for cell in lesson.cells), "print(b)")
    assert _run(mine, lesson) == [*(cell.source for cell in mine.cells[:2]), "print(b)"]


@pytest.mark.parametrize("changed", ["", "# mine: twice as many\n"])
def test_of_a_cell_that_trains_only_what_it_defines_is_run(changed: str) -> None:
    trains = "import math\nmodel = train()\n\n@cached\ndef size(): return 3\nmodel.save()"
    lesson = _lesson(trains)
    lesson.cells[0].metadata["tags"] = [TRAINING]
    mine = _lesson(changed + trains, "print(model)", "print(size())")
    if changed:  # else an editor has dropped the tag
        mine.cells[0].metadata["tags"] = [TRAINING]
    skip(mine, lesson)
    assert code(mine.cells[0]) == "import math\n@cached\ndef size():\n    return 3"
    assert SKIPPED not in mine.cells[0].metadata.get("tags", [])


@pytest.mark.parametrize("unit", UNITS)
def test_answers_need_little_of_a_lesson(unit: str, course: Course, tmp_path: Path) -> None:
    built = build.make(course, unit, tmp_path)
    solution = nbformat.from_dict(built.solution)
    skip(solution, built.released)
    code = [cell for cell in solution.cells if cell.cell_type == "code"]
    run = [c for c in code if SKIPPED not in c.metadata.get("tags", [])]
    asked = [cell for cell in code if "nbgrader" in cell.metadata]
    assert all(any(cell is each for each in run) for cell in asked)
    assert len(asked) < len(run) <= len(asked) + 4 < len(code) + 1


def test_a_cell_that_keeps_pyflakes_busy_counts_with_every_word() -> None:
    many = "try:\n " + "0;" * 4700 + "a=0\n " + "~" * 180 + "[" + "a:=0," * 150 + "]\nexcept:0"
    start = time.process_time()
    found = names(many)
    assert "except" in found.used and time.process_time() - start < 20 * PATIENCE


def test_what_the_lesson_hands_on_to_later_answers(course: Course, tmp_path: Path) -> None:
    made = {unit: build.make(course, unit, tmp_path / unit).instructor for unit in UNITS}
    found = {unit: handed_on(instructor) for unit, instructor in made.items()}
    asked = {unit: judge.tests(unit, each).values() for unit, each in made.items()}
    told = {
        unit: {t.exercise for t in each if isinstance(t, judge.Check) and t.handed_on}
        for unit, each in asked.items()
    }
    assert found == told
    assert {unit: each for unit, each in found.items() if each} == {
        "01-order-blind": {"masked"},
        "05-after-bert": {"turn"},
        "09-claim-lab": {"settle"},
    }
