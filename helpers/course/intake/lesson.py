"""Which cells of a lesson are left out where a class is graded, by the author's tags alone.

A lesson trains, measures and draws for whoever reads it; no answer needs what such a cell shows.
Of these cells only imports, functions and classes are run. A cell that a learner has changed is run
as a whole.
"""

from __future__ import annotations

import ast

from nbformat import NotebookNode

from helpers.course.authoring.source import FIGURE, SHOWN, TRAINING

LEFT_OUT = {TRAINING, FIGURE, SHOWN}
UNCHANGED = "order-matters-unchanged"  # key of a cell's metadata: it is as released
DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def mark(notebook: NotebookNode, release: NotebookNode) -> None:
    """Note in the cells of a notebook which are the release's, with the author's tags."""
    lesson = {
        cell.source.strip(): list(cell.metadata.get("tags", []))
        for cell in release.cells
        if cell.cell_type == "code" and "nbgrader" not in cell.metadata
    }
    for cell in notebook.cells:
        if cell.cell_type == "code" and (source := cell.source.strip()) in lesson:
            cell.metadata[UNCHANGED] = True
            cell.metadata["tags"] = lesson[source]  # some editors drop them


def is_unchanged(cell: NotebookNode) -> bool:
    """Return whether the cell is one of the lesson's, as released."""
    return bool(cell.metadata.get(UNCHANGED))


def to_run(cell: NotebookNode) -> str:
    """Return the code of a cell that is run."""
    left_out = is_unchanged(cell) and LEFT_OUT & {*cell.metadata.get("tags", [])}
    return definitions(cell.source) if left_out else str(cell.source)


def definitions(source: str) -> str:
    """Return the imports, functions and classes of a cell; nothing where it is no Python."""
    try:
        found = [each for each in ast.parse(source).body if isinstance(each, DEFINES)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return "\n".join(map(ast.unparse, found))
