"""A unit of two exercises with right answers, and what becomes of it when it is handed in."""

import copy
import re
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from helpers.course.authoring import build
from helpers.course.intake import notebook_file, repair
from tests.common import LESSON, tiny_course

UNIT = "01-tiny"
SECOND = LESSON.split("\n\n", 1)[1].replace("double", "triple")


class Made(NamedTuple):
    """The release, and the same with right answers, as a learner saves it."""

    released: NotebookNode
    worked: NotebookNode


def made_in(root: Path) -> Made:
    course = tiny_course(root)
    course.text(UNIT).write_text(LESSON + "\n" + SECOND)
    built = build.make(course, UNIT, root / "made")
    answers = {cell.id: cell.source for cell in built.solution.cells}
    worked = copy.deepcopy(built.released)
    for cell in worked.cells:
        if not cell.id.endswith("-test"):
            cell.source = answers[cell.id]
    return Made(built.released, worked)


def repaired(content: bytes, release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Read and restore what was handed in; return it, and the repairs."""
    cells, repairs = notebook_file.read(content)
    notebook, more = repair.restored(cells, release)
    nbformat.validate(notebook)
    return notebook, repairs + more


def graded(notebook: NotebookNode) -> list[tuple[str, str]]:
    """Name and text of each cell that nbgrader reads, in order; without its first line."""
    return [
        (cell.metadata.nbgrader.grade_id, re.sub(r"^# EXERCISE .*\n", "", cell.source))
        for cell in notebook.cells
        if "nbgrader" in cell.metadata
    ]
