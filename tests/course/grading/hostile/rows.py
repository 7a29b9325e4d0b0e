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
from tests.common import ROOT, tiny_course

UNIT = "02-sinusoidal"
FIRST, LAST = "wavelengths", "module"  # the exercises that the unit is cut to
ALL, BEFORE = 3.0, 1.0  # points of both, and of the one in front of the hostile cell


@dataclass(frozen=True)
class Row:
    """A submission.

    Args:
        name: of the learner.
        file: makes what is handed in, where `@OUT@` stands for the grader's folder.
        marks: exactly what it must get.
        told: a regular expression for what the table says of it.
        shown: the same for what its cells show.
    """

    name: str
    file: Callable[[], bytes]
    marks: float
    told: str = ""
    shown: str = ""


@cache
def built() -> Built:
    with TemporaryDirectory() as folder:
        return build.make(course(Path(folder)), UNIT, Path(folder) / "made")


def course(root: Path) -> settings.Course:
    """Return a course of the unit, cut to two exercises, which is enough and quick."""
    made = tiny_course(root)
    made.text("01-tiny").unlink()
    made.text("01-tiny").parent.rmdir()
    cells = (ROOT / "source" / UNIT / f"{UNIT}.py").read_text().split("\n# %%")
    second = next(n for n, cell in enumerate(cells) if 'exercise="table"' in cell)
    last = [cell for cell in cells if re.match(rf'.*="{LAST}"', cell)]
    made.text(UNIT).parent.mkdir()
    made.text(UNIT).write_text("\n# %%".join([*cells[:second], *last]))
    return made


def solved() -> NotebookNode:
    """Return all right answers in the released notebook, without the cells that train or draw."""
    answers = {cell.id: cell.source for cell in built().solution.cells}
    notebook = copy.deepcopy(built().released)
    imports = next(cell for cell in notebook.cells if "as check" in cell.source)
    graded = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    for cell in graded:
        if cell.metadata.nbgrader.solution:
            cell.source = answers[cell.id]
    notebook.cells = [imports, *graded]
    return notebook


def written(notebook: NotebookNode) -> bytes:
    return nbformat.writes(notebook).encode()


def _with_cell(code: str) -> bytes:
    notebook = solved()
    place = next(n for n, cell in enumerate(notebook.cells) if cell.id == LAST)
    notebook.cells.insert(place, v4.new_code_cell(dedent(code), id="hostile"))
    return written(notebook)


def harm(name: str, code: str, told: str = "", shown: str = "", marks: float = ALL) -> Row:
    """Return right answers, between which a cell does harm: they count unless told."""
    return Row(name, partial(_with_cell, code), marks, told, shown)


def trick(name: str, code: str, told: str = "", shown: str = "", answer: str = "") -> Row:
    """Return code before the exercises, and no right answer; it gets nothing."""
    return Row(name, partial(_tricked, code, answer), 0, told, shown)


def _tricked(code: str, answer: str) -> bytes:
    notebook = solved()
    released = {cell.id: cell.source for cell in built().released.cells}
    for cell in notebook.cells:
        cell.source = released[cell.id]
        if cell.id == FIRST and answer:
            cell.source = dedent(answer)
    notebook.cells.insert(1, v4.new_code_cell(dedent(code), id="trick"))
    return written(notebook)
