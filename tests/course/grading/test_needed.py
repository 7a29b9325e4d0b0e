"""Of a lesson only what answers and the learner's own cells use is run where a class is graded."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode, v4

from helpers.course.authoring import build
from helpers.course.authoring.source import TRAINING
from helpers.course.grading.needed import SKIPPED, names, skip
from helpers.course.settings import Course
from tests.common import UNITS


@pytest.mark.parametrize(
    ("code", "used", "bound"),
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
        ("await later()", "await later", ""),
        ("from math import *\nsin(b)", "from math import sin b", "math.*"),
        ("try:\n    b\nexcept NameError:\n    c", "try b except NameError c", ""),
        ("b" + " + b" * 10_000, "b", "b"),
        ("def broken(:", "def broken", "def broken"),
    ],
)
def test_what_a_cell_uses_and_binds(code: str, used: str, bound: str) -> None:
    found = names(code)
    assert (set(found.used), set(found.bound)) == ({*used.split()}, {*bound.split()})


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


def test_a_cell_that_trains_is_not_run_whoever_uses_it() -> None:
    lesson = _lesson("model = train()")
    lesson.cells[0].metadata["tags"] = [TRAINING]
    mine = _lesson("model = train()", "print(model)")  # an editor has dropped the tag
    assert _run(mine, lesson) == ["print(model)"]


@pytest.mark.parametrize("unit", UNITS)
def test_answers_need_little_of_a_lesson(unit: str, course: Course, tmp_path: Path) -> None:
    built = build.make(course, unit, tmp_path)
    solution = nbformat.from_dict(built.solution)
    skip(solution, built.released)
    code = [cell for cell in solution.cells if cell.cell_type == "code"]
    run = [c for c in code if SKIPPED not in c.metadata.get("tags", [])]
    asked = [cell for cell in code if "nbgrader" in cell.metadata]
    assert all(any(cell is each for each in run) for cell in asked)
    assert len(asked) < len(run) <= len(asked) + 3 < len(code) + 1
    assert not any(TRAINING in cell.metadata.get("tags", []) for cell in run)
