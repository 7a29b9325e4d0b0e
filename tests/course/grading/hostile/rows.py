"""A row of the hostile class: what is handed in, and what must come of it."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

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
    """A submission with right answers, and a cell in front of the last exercise.

    Args:
        name: of the learner.
        code: of that cell, where `@OUT@` stands for the grader's folder.
        told: a regular expression for what the table says of it. shown: for what its cells show.
        marks: exactly what it must get.
        answer: to the first exercise, which is not right; there are no others, and the cell
            stands in front of all.
    """

    name: str
    code: str = ""
    told: str = ""
    shown: str = ""
    marks: float = ALL
    answer: str | None = None

    def notebook(self, out: Path) -> NotebookNode:
        """Return the released notebook with these, without the cells that train or draw."""
        notebook = copy.deepcopy(_built().released)
        answers = {cell.id: cell.source for cell in _built().solution.cells}
        if self.answer is not None:
            answers = {FIRST: self.answer} if self.answer else {}
        imports = next(cell for cell in notebook.cells if "as check" in cell.source)
        graded = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
        for cell in graded:
            if cell.metadata.nbgrader.solution:
                cell.source = answers.get(cell.id, cell.source)
        notebook.cells = [imports, *graded]
        place = next(n for n, cell in enumerate(notebook.cells) if cell.id == LAST)
        code = dedent(self.code).replace("@OUT@", str(out))
        notebook.cells.insert(place if self.answer is None else 1, v4.new_code_cell(code, id="own"))
        return notebook


@cache
def _built() -> Built:
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
