"""From the cells of a source to the instructor's notebook: metadata, frame and cell ids."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from helpers.course.authoring import colab, glossary
from helpers.course.authoring.source import FIGURE, Cell, heading, points
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


def instructor(cells: list[Cell], unit: str, course: Course) -> NotebookNode:
    """The notebook with solutions and hidden tests, as nbgrader wants it."""
    made = [_with_header(cell, cells) for cell in cells]
    title, *rest = made
    begin = _markdown(_title(title.source, cells, unit, course))
    frame = [begin, v4.new_code_cell(colab.set_up(course))]
    if course.published:
        frame.insert(0, _markdown(colab.badges(unit, course)))
    notebook = v4.new_notebook(cells=[*frame, *rest, _markdown(_end(unit, course))])
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat_minor = 5
    _name_cells(notebook)
    nbformat.validate(notebook)
    return notebook


def _markdown(text: str) -> NotebookNode:
    return v4.new_markdown_cell(text)


def _title(text: str, cells: list[Cell], unit: str, course: Course) -> str:
    """The title, with a line that says where in the course one is, and what the unit takes."""
    exercises = [cell for cell in cells if cell.kind == "exercise"]
    minutes = sum(cell.keys["minutes"] for cell in exercises)
    title, _, rest = text.partition("\n")
    units = course.units()
    number = units.index(unit)
    told = [
        f"Unit {unit[:2]} ({number + 1} of {len(units)})",
        count(len(exercises), "exercise"),
        count(points(cells), "point"),
        f"about {count(minutes, 'minute')} to solve",
    ]
    if number:
        told.append(f"before this: {_link(units[number - 1], course)}")
    told.append(f"[glossary]({glossary.address(course)})")
    return f"{title}\n\n*{' · '.join(told)}*\n{rest}"


def _end(unit: str, course: Course) -> str:
    """A link to the unit after this one."""
    units = course.units()
    after = units[units.index(unit) + 1 :]
    if not after:
        return "**This was the last unit.** Save the notebook before you hand it in."
    link = f"**Save this notebook. Next: {_link(after[0], course)}**"
    if course.published:  # where no other notebook lies beside this one
        link += f" · [on Colab]({colab.address(after[0], course)})"
    return link


def _link(unit: str, course: Course) -> str:
    """To another unit, in the folder of units, wherever that is."""
    return f"[{heading(course.text(unit))}](../{unit}/{unit}.ipynb)"


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
    folded = FIGURE in cell.keys.get("tags", [])
    if folded:
        text = f"# This cell shows a result; its code is folded.\n{text}"  # all that is seen of it
    make = v4.new_code_cell if cell.type == "code" else v4.new_markdown_cell
    metadata: dict[str, Any] = {}
    if cell.keys.get("tags"):
        metadata["tags"] = cell.keys["tags"]
    if folded:  # in JupyterLab and VS Code, and in Colab
        metadata |= {"jupyter": {"source_hidden": True}, "cellView": "form"}
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
