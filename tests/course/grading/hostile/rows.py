"""A row of the hostile class: what is handed in, and what must come of it."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import nbformat
from nbformat import NotebookNode, v4

from helpers.course import settings
from helpers.course.authoring import build
from helpers.course.authoring.build import Built
from tests.common import LESSON, ROOT, tiny_course

TINY, REAL = "01-tiny", "02-sinusoidal"
SECOND = LESSON.split("\n\n", 1)[1].replace("double", "triple")
SECOND = SECOND.replace("2 * x", "3 * x").replace("(2) == 4", "(2) == 6").replace("42", "63")
# A test whose last value is the points: what nbgrader calls partial credit.
SHARE = '''
# %% [markdown] exercise="halve" title="Half" difficulty=1 minutes=2
# Write it.

# %% solution="halve"
def halve(x: int) -> float:
    """Half of x."""
    ### BEGIN SOLUTION
    return x / 2
    ### END SOLUTION

# %% test="halve" points=1
sum(halve(x) == y for x, y in [(2, 1), (3, 1.5)]) / 2
### BEGIN HIDDEN TESTS
sum(halve(x) == y for x, y in [(5, 2.5), (7, 3.5)]) / 2
### END HIDDEN TESTS
'''
POINTS = {TINY: 5.0, REAL: 3.0}
ESCAPED, TRIED = "ESCAPED", "TRIED"


@dataclass(frozen=True)
class Row:
    """A submission.

    Args:
        name: of the learner.
        file: makes what is handed in, where `@OUT@` and `@PORT@` stand for the grader's.
        marks: exactly what it must get.
        told: a regular expression for what the table says of it.
        shown: the same for what its cells show.
        unit: where it is handed in. looks: it prints `TRIED`, and `ESCAPED` with what it found.
    """

    name: str
    file: Callable[[], bytes]
    marks: float
    told: str = ""
    shown: str = ""
    unit: str = TINY
    looks: bool = False


@cache
def built(unit: str) -> Built:
    """The unit's notebooks."""
    with TemporaryDirectory() as folder:
        return build.make(course(Path(folder)), unit, Path(folder) / "made")


def course(root: Path) -> settings.Course:
    """A course of a tiny unit, tested by assertions, and of a real one, tested by checks.

    The real one is cut to its first and its last exercise, which is enough and quick.
    """
    made = tiny_course(root)
    made.text(TINY).write_text("\n".join([LESSON, SECOND, SHARE]))
    cells = (ROOT / "source" / REAL / f"{REAL}.py").read_text().split("\n# %%")
    first = next(n for n, cell in enumerate(cells) if 'exercise="table"' in cell)
    of_module = [cell for cell in cells if re.match(r'.*="module"', cell)]
    made.text(REAL).parent.mkdir()
    made.text(REAL).write_text("\n# %%".join([*cells[:first], *of_module]))
    return made


def worked(unit: str) -> NotebookNode:
    """All right answers in the released notebook, without the cells that train or draw."""
    answers = {cell.id: cell.source for cell in built(unit).solution.cells}
    notebook = copy.deepcopy(built(unit).released)
    graded = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    for cell in graded:
        if cell.metadata.nbgrader.solution:
            cell.source = answers[cell.id]
    if unit == REAL:
        imports = next(c for c in notebook.cells if "as check" in c.source)
        notebook.cells = [imports, *graded]
    return notebook


def written(notebook: NotebookNode) -> bytes:
    """As a file."""
    return nbformat.writes(notebook).encode()


def changed(**sources: str) -> bytes:
    """The tiny unit with all right answers but these, by grade_id."""
    notebook = worked(TINY)
    for cell in notebook.cells:
        if cell.id in sources:
            cell.source = dedent(sources[cell.id])
    return written(notebook)


def harm(name: str, code: str, told: str = "", shown: str = "", marks: float = 3) -> Row:
    """Code in the cell of `triple`: what stands before and, unless told, behind it counts."""
    return Row(name, partial(changed, triple=code), marks, told, shown)


def look(name: str, code: str, told: str = "", marks: float = 3) -> Row:
    """Code that looks for what it must not find: `found(…)` tells of it.

    What raises an error has found nothing; whatever is given to `found` and is true has escaped.
    """
    body = "\n".join(f"    {line}" for line in dedent(code).strip().splitlines())
    code = f"""\
import ctypes, os, pathlib, signal, socket, subprocess, sys
def found(*things):
    for each in filter(None, things):
        print("{ESCAPED}", repr(each)[:300])
try:
{body}
except Exception as error:
    print("refused:", error)
print("{TRIED}")
"""
    return Row(name, partial(changed, triple=code), marks, told, looks=True)


def trick(
    name: str, code: str, told: str = "", shown: str = "", unit: str = TINY, **answers: str
) -> Row:
    """Code before all exercises, none of them answered, or as is said here; it gets nothing."""
    return Row(name, partial(_tricked, code, unit, answers), 0, told, shown, unit)


def _tricked(code: str, unit: str, answers: dict[str, str]) -> bytes:
    notebook = worked(unit)
    released = {cell.id: cell.source for cell in built(unit).released.cells}
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = dedent(answers.get(cell.id, released[cell.id]))
    first = next(n for n, c in enumerate(notebook.cells) if "nbgrader" in c.metadata)
    notebook.cells.insert(first, v4.new_code_cell(dedent(code), id="trick"))
    return written(notebook)
