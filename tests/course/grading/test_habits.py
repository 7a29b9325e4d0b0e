"""What honest learners do beside their answers costs nobody a point, and none has to wait."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat import NotebookNode, v4

from helpers.course.grading import grade
from tests.common import ISOLATED
from tests.course.grading.habits import BEFORE_IT, BEHIND_IT, CELLS
from tests.course.grading.hostile import rows
from tests.course.grading.hostile.rows import POINTS, REAL

pytestmark = pytest.mark.usefixtures("warm_sandboxes")
TOGETHER = 8  # cells in one notebook


def _answer(notebook: NotebookNode) -> int:
    return next(n for n, cell in enumerate(notebook.cells) if cell.id == "wavelengths")


def _with_cells(codes: list[str]) -> NotebookNode:
    """The work with these cells before the first exercise."""
    notebook = rows.worked(REAL)
    at = _answer(notebook)
    notebook.cells[at:at] = [v4.new_code_cell(code) for code in codes]
    return notebook


def _around(before: str, behind: str) -> NotebookNode:
    notebook = rows.worked(REAL)
    cell = notebook.cells[_answer(notebook)]
    cell.source = before + cell.source + behind
    return notebook


def _split(notebook: NotebookNode) -> None:
    """The answer's cell is cut in two."""
    at = _answer(notebook)
    inner = v4.new_code_cell("def my_exponents(d_model):\n    return torch.arange(0, d_model, 2)")
    notebook.cells[at].source = notebook.cells[at].source.replace(
        "torch.arange(0, d_model, 2)", "my_exponents(d_model)"
    )
    notebook.cells.insert(at, inner)


def _moved(notebook: NotebookNode) -> None:
    """The imports come twice, once at the end."""
    notebook.cells.append(copy.deepcopy(notebook.cells[0]))


def _texts(notebook: NotebookNode) -> None:
    """Notes are added, and what an exercise says is written over."""
    at = _answer(notebook)
    notebook.cells.insert(at, v4.new_markdown_cell("# My *notes*\n<b>and</b> $x$"))


def _run_often(notebook: NotebookNode) -> None:
    """Counters of cells that were run in another order."""
    for number, cell in enumerate(c for c in notebook.cells if c.cell_type == "code"):
        cell.execution_count = 100 - number


def _checks_deleted(notebook: NotebookNode) -> None:
    """The cells of the checks are thrown away."""
    notebook.cells = [cell for cell in notebook.cells if not cell.id.endswith("-test")]


CHANGES: list[Callable[[NotebookNode], None]] = [
    *(_split, _moved, _texts, _run_often, _checks_deleted)
]


def _changed(change: Callable[[NotebookNode], None]) -> NotebookNode:
    notebook = rows.worked(REAL)
    change(notebook)
    return notebook


def made() -> dict[str, NotebookNode]:
    """Each habit in a notebook of its own."""
    found = {name: _with_cells([code]) for name, code in CELLS.items()}
    found |= {name: _around(code, "") for name, code in BEFORE_IT.items()}
    found |= {name: _around("", code) for name, code in BEHIND_IT.items()}
    return found | {change.__name__: _changed(change) for change in CHANGES}


def _together() -> dict[str, NotebookNode]:
    """The same habits in fewer notebooks."""
    names = list(CELLS)
    groups = [names[n : n + TOGETHER] for n in range(0, len(names), TOGETHER)]
    found = {", ".join(each): _with_cells([CELLS[name] for name in each]) for each in groups}
    found["all above"] = _around("".join(BEFORE_IT.values()), "")
    found["all behind"] = _around("", "".join(BEHIND_IT.values()))
    return found | {change.__name__: _changed(change) for change in CHANGES}


def graded(notebooks: dict[str, NotebookNode], folder: Path) -> pd.DataFrame:
    """A row for each, by its name."""
    course = rows.course(folder / "course")
    for number, notebook in enumerate(notebooks.values()):
        path = folder / "in" / f"{number:02d}" / REAL / f"{REAL}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    table = grade.grade(course, folder / "in", folder / "out", isolated=ISOLATED)
    return table.set_axis(list(notebooks))


def test_no_honest_habit_costs_a_point(tmp_path: Path) -> None:
    assert len(made()) >= 60
    table = graded(_together(), tmp_path)
    hurt = table[(table.score != POINTS[REAL]) | (table.pending != 0)]
    assert hurt.empty, hurt[["score", "pending", "status", "flags"]].to_string()
