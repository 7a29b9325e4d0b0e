"""From the cells of a source to the instructor's notebook: metadata, frame and cell ids."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from helpers.course.authoring.source import Cell, points
from helpers.course.settings import Course

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
ROLES: dict[str, dict[str, Any]] = {
    "solution": {"grade": False, "locked": False, "solution": True},
    "test": {"grade": True, "locked": True, "solution": False},
    "essay": {"grade": True, "locked": False, "solution": True},
}
SET_UP = """\
# Set-up: on Colab this installs the course's helpers; elsewhere it looks whether they are there.
import importlib.util
import sys

if "google.colab" in sys.modules:
{colab}
elif importlib.util.find_spec("helpers") is None:
    raise ModuleNotFoundError("The helpers are missing: open this notebook with `make lab`.")"""
INSTALL = """\
    %pip install -q "order-matters @ https://github.com/{owner}/{repository}/archive/refs/tags/{release}.zip"
    %pip install -q --no-deps d2l==1.0.3"""
UNPUBLISHED = """\
    raise RuntimeError("This copy has no published release for Colab to install from.")"""
BADGE = (
    "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
    "(https://colab.research.google.com/github/{owner}/{repository}/blob/{release}"
    "/notebooks/{unit}/{unit}.ipynb)"
)


def instructor(cells: list[Cell], unit: str, course: Course) -> NotebookNode:
    """The notebook with solutions and hidden tests, as nbgrader wants it."""
    made = [_with_header(cell, cells) for cell in cells]
    title, *rest = made
    frame = [_markdown(_title(title.source, cells)), v4.new_code_cell(_set_up(course))]
    if course.published:
        frame.insert(0, _markdown(BADGE.format(unit=unit, **_address(course))))
    notebook = v4.new_notebook(cells=[*frame, *rest], metadata=METADATA)
    notebook.nbformat_minor = 5
    _name_cells(notebook)
    nbformat.validate(notebook)
    return notebook


def _markdown(text: str) -> NotebookNode:
    return v4.new_markdown_cell(text)


def _address(course: Course) -> dict[str, str]:
    return {
        "owner": course.owner,
        "repository": course.repository,
        "release": course.release,
    }


def _set_up(course: Course) -> str:
    colab = INSTALL.format(**_address(course)) if course.published else UNPUBLISHED
    return SET_UP.format(colab=colab)


def _title(text: str, cells: list[Cell]) -> str:
    exercises = [cell for cell in cells if cell.kind == "exercise"]
    minutes = sum(cell.keys["minutes"] for cell in exercises)
    heading, _, rest = text.partition("\n")
    summary = f"{count(len(exercises), 'exercise')}, {count(points(cells), 'point')}"
    return f"{heading}\n\n*{summary}; about {count(minutes, 'minute')} to solve*\n{rest}"


def count(number: float, word: str) -> str:
    """ "1 point", "2 points"."""
    return f"{number:g} {word}{'s' * (number != 1)}"


def _with_header(cell: Cell, cells: list[Cell]) -> NotebookNode:
    """A cell with its generated first line and nbgrader's metadata."""
    text = cell.text
    if cell.kind == "exercise":
        number = [c.name for c in cells if c.kind == "exercise"].index(cell.name) + 1
        text = (
            f"### Exercise {number}: {cell.keys['title']}\n\n"
            f"**Difficulty {cell.keys['difficulty']} of 5 · about {cell.keys['minutes']:g} minutes"
            f" · {count(points(cells, cell.name), 'point')}**\n\n{text}"
        )
    elif cell.kind == "solution":
        text = f"# EXERCISE {cell.name}: write your answer in this cell\n{text}"
    elif cell.kind == "test":
        text = f"# CHECK {cell.name}: {count(cell.keys['points'], 'point')}\n{text}"
    make = v4.new_code_cell if cell.type == "code" else v4.new_markdown_cell
    metadata: dict[str, Any] = {}
    if cell.keys.get("tags"):
        metadata["tags"] = cell.keys["tags"]
    if cell.kind in ROLES:
        grade_id = f"{cell.name}-test" if cell.kind == "test" else cell.name
        grader = {"grade_id": grade_id, "schema_version": 3, "task": False, **ROLES[cell.kind]}
        if "points" in cell.keys:
            grader["points"] = cell.keys["points"]
        metadata["nbgrader"] = dict(sorted(grader.items()))
    return make(text, metadata=metadata)


def _name_cells(notebook: NotebookNode) -> None:
    """Ids that stay when other cells change: the grade_id, else a digest of the cell's own text."""
    seen: Counter[str] = Counter()
    for cell in notebook.cells:
        digest = hashlib.sha1(f"{cell.cell_type}{cell.source}".encode()).hexdigest()[:8]
        name = cell.metadata.get("nbgrader", {}).get("grade_id", digest)
        cell.id = f"{name}-{seen[name]}" if seen[name] else name
        seen[name] += 1
