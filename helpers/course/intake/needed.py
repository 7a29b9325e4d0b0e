"""Which cells of a lesson its answers depend on: only those are run where a class is graded.

A lesson trains, measures and draws, for whoever reads it. An answer needs hardly any of that: as a
rule the imports alone. What a learner wrote or changed is always run, and all that it uses. Of a
cell that trains, no more is run than what it defines.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from nbformat import NotebookNode

from helpers.course.authoring.source import TRAINING
from helpers.course.intake.names import names

SKIPPED = "skipped"  # tag of a cell that is not run
LESSON = "lesson"  # tag of one that is, as it was released
RUN = "order-matters-run"  # key of a cell's metadata: what is run of it
USE = re.compile(r"\bcheck\.(\w+)\.use\(")
DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def skip(notebook: NotebookNode, release: NotebookNode) -> None:
    """Tag the code cells of the lesson, and say which of them need not be run.

    Args:
        notebook: repaired, so that its graded cells have the names of the release's.
        release: whose other cells are the lesson.
    """
    plain = [cell for cell in _code(release) if "nbgrader" not in cell.metadata]
    lesson = {cell.source.strip() for cell in plain}
    trains = {cell.source.strip() for cell in plain if TRAINING in _tags(cell)}
    cells = list(_code(notebook))
    for cell in cells:  # some editors drop tags
        if TRAINING in _tags(cell) or cell.source.strip() in trains:
            cell.metadata[RUN] = definitions(cell.source)
    known = [cell for cell in cells if cell.source.strip() in lesson]
    run = _needed([cell for cell in cells if cell.source.strip() not in lesson], known)
    for cell in known:
        cell.metadata["tags"] = [*_tags(cell), LESSON if id(cell) in run else SKIPPED]


def handed_on(instructor: NotebookNode) -> set[str]:
    """The exercises whose answers later ones use through the lesson, as `check.EXERCISE.use`."""
    cells = list(_code(instructor))
    answers = [cell for cell in cells if "nbgrader" in cell.metadata]
    lesson = [cell for cell in cells if "nbgrader" not in cell.metadata]
    run = _needed(answers, lesson)
    return {name for cell in lesson if id(cell) in run for name in USE.findall(cell.source)}


def code(cell: NotebookNode) -> str:
    """What is run of a cell."""
    return str(cell.metadata.get(RUN, cell.source))


def definitions(source: str) -> str:
    """The imports, functions and classes of a cell."""
    try:
        found = [each for each in ast.parse(source).body if isinstance(each, DEFINES)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return "\n".join(map(ast.unparse, found))


def _needed(mine: list[NotebookNode], lesson: list[NotebookNode]) -> set[int]:
    """The cells of the lesson that `mine` depend on, in any number of steps, by `id`."""
    wanted = set[str]().union(*(names(code(c)).used | names(code(c)).perhaps for c in mine))
    found: set[int] = set()
    while more := [c for c in lesson if id(c) not in found and names(code(c)).bound & wanted]:
        found.update(map(id, more))
        wanted |= {name for cell in more for name in names(code(cell)).used}
    return found


def _code(notebook: NotebookNode) -> Iterable[NotebookNode]:
    return (cell for cell in notebook.cells if cell.cell_type == "code")


def _tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))
