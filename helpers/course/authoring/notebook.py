"""From the cells of a source to the instructor's notebook: metadata, frame and cell ids."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from helpers.course import settings
from helpers.course.authoring import published
from helpers.course.authoring.source import FIGURE, Cell, heading, points
from helpers.course.settings import Course, CourseError

DIGESTS = "order-matters-digest"  # of the notebook's metadata, which editors keep
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
    """Return the notebook with solutions and hidden tests, as nbgrader wants it."""
    title, *rest = [_with_header(cell, cells) for cell in cells]
    title.source = _title(title.source, cells, unit, course)
    frame = [v4.new_markdown_cell(published.badges(unit, course))] if course.published else []
    frame += [title, v4.new_code_cell(published.set_up(course))]
    notebook = v4.new_notebook(cells=[*frame, *rest, v4.new_markdown_cell(_end(unit, course))])
    notebook.metadata = nbformat.from_dict(METADATA)
    seen: Counter[str] = Counter()
    for cell in notebook.cells:  # ids that stay when other cells change
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        name = name or digest(f"{cell.cell_type}{cell.source}")
        cell.id = f"{name}-{seen[name]}" if seen[name] else name
        seen[name] += 1
    nbformat.validate(notebook)
    return notebook


def read(path: Path) -> NotebookNode:
    """Return a notebook, each cell with the id that it was released with, which Colab moves.

    Raises:
        CourseError: the file holds none.
    """
    try:
        notebook = nbformat.read(path, as_version=4)
    except Exception as error:  # whatever is in the file
        message = f"{path} is no notebook ({type(error).__name__}); move it away"
        raise CourseError(message) from error
    for cell in notebook.cells:
        cell.id = str(cell.metadata.get("id") or cell.get("id", ""))
    return notebook


def write(path: Path, notebook: NotebookNode) -> None:
    """Write a notebook in one step."""
    settings.write(path, nbformat.writes(notebook) + "\n")


def _title(text: str, cells: list[Cell], unit: str, course: Course) -> str:
    """Return the title, with a line that says where one is, and what the unit takes."""
    exercises = [cell for cell in cells if cell.kind == "exercise"]
    minutes = sum(cell.keys["minutes"] for cell in exercises)
    title, _, rest = text.partition("\n")
    units = course.units()
    number = units.index(unit)
    facts = [
        f"Unit {unit[:2]} ({number + 1} of {len(units)})",
        count(len(exercises), "exercise"),
        count(points(cells), "point"),
        f"about {count(minutes, 'minute')} to solve",
    ]
    if number:
        facts.append(f"before this: {_link(units[number - 1], course)}")
    facts.append(f"[glossary]({published.glossary(course)})")
    return f"{title}\n\n*{' · '.join(facts)}*\n{rest}"


def _end(unit: str, course: Course) -> str:
    units = course.units()
    after = units[units.index(unit) + 1 :]
    if not after:
        return "**This was the last unit.** Save the notebook before you hand it in."
    link = f"**Save this notebook. Next: {_link(after[0], course)}**"
    if course.published:  # where no other notebook lies beside this one
        link += f" · [on Colab]({published.colab(after[0], course)})"
    return link


def _link(unit: str, course: Course) -> str:
    """Return a link to another unit, in the folder of units, wherever that is."""
    return f"[{heading(course.text(unit))}](../{unit}/{unit}.ipynb)"


def count(number: float, word: str) -> str:
    """Return "1 point" or "2 points"."""
    return f"{number:g} {word}{'s' * (number != 1)}"


def _with_header(cell: Cell, cells: list[Cell]) -> NotebookNode:
    """Return a cell with its generated first line and nbgrader's metadata."""
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


def digest(source: str) -> str:
    """Return a short digest of a cell's text."""
    return hashlib.sha1(source.encode()).hexdigest()[:8]


def digests(notebook: NotebookNode) -> dict[str, str]:
    """Return the digest of each cell, by its id."""
    return {cell.id: digest(cell.source) for cell in notebook.cells}


def untouched(notebook: NotebookNode) -> bool:
    """Return whether it is as it was released: nothing written, nothing run."""
    ran = any(cell.get("execution_count") or cell.get("outputs") for cell in notebook.cells)
    return not ran and notebook.metadata.get(DIGESTS) == digests(notebook)
