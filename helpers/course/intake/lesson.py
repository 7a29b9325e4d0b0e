"""Which cells of a lesson are left out where a class is graded, by the author's tags alone.

A lesson trains, measures and draws for whoever reads it; no answer needs what such a cell shows.
Of these cells only imports, functions and classes are run. A cell that a learner has changed, or
whose names a learner uses, is run as a whole.
"""

from __future__ import annotations

import ast
import re
import symtable
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from helpers.course.authoring.source import FIGURE, SHOWN, TRAINING
from helpers.course.settings import Course

LEFT_OUT = {TRAINING, FIGURE, SHOWN}
# Keys of a cell's metadata: it is as released; what is run of it, if not all.
UNCHANGED, DEFINED = "order-matters-unchanged", "order-matters-defined"
LONGEST = 20_000  # characters of a cell that is looked into: some take their square in time
DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)


def mark(notebook: NotebookNode, release: NotebookNode) -> None:
    """Note in the cells of a notebook which are the release's, and which of them only define."""
    lesson = {
        cell.source.strip(): {*cell.metadata.get("tags", [])}
        for cell in release.cells
        if cell.cell_type == "code" and "nbgrader" not in cell.metadata
    }
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    used = set[str]()
    for cell in code:
        if cell.source.strip() in lesson:
            cell.metadata[UNCHANGED] = True
        elif not cell.metadata.get("nbgrader", {}).get("locked"):
            used |= _names.__wrapped__(cell.source)[0]  # not kept: it may be a million words
    left_out = [cell for cell in code if lesson.get(cell.source.strip(), set()) & LEFT_OUT]
    for cell in reversed(left_out):  # one that is run may need what those before it assign
        needed, assigned = _names(cell.source)
        if assigned & used:
            used |= needed
        else:
            cell.metadata[DEFINED] = definitions(cell.source)


@lru_cache(maxsize=1024)  # the lessons of all units, for a whole class
def _names(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a cell takes from outside of its functions, and those it assigns."""
    try:
        tables = [symtable.symtable(source if len(source) <= LONGEST else "?", "cell", "exec")]
    except NO_PYTHON:  # a magic, as a rule
        return frozenset(re.findall(r"\w+", source)), frozenset()
    assigned = {each.get_name() for each in tables[0].get_symbols() if each.is_assigned()}
    used = set[str]()
    for table in tables:  # which grows
        tables += table.get_children()
        for each in table.get_symbols():
            if each.is_referenced() and (each.is_global() or table is tables[0]):
                used.add(each.get_name())
    return frozenset(used - assigned), frozenset(assigned)


def skip(notebook: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
    """Tag for nbclient what of a lesson stock nbgrader need not run; its first step.

    A cell that also imports or defines something is run as a whole there.
    """
    unit = resources["nbgrader"]["assignment"]
    released = Course(Path.cwd()).notebooks / unit / f"{unit}.ipynb"
    if released.exists():
        mark(notebook, nbformat.read(released, as_version=4))
    for cell in notebook.cells:
        if cell.metadata.get(DEFINED) == "":
            cell.metadata.tags = [*cell.metadata.get("tags", []), "skip-execution"]
    return notebook, resources


def to_run(cell: NotebookNode) -> str:
    """Return the code of a cell that is run."""
    return str(cell.metadata.get(DEFINED, cell.source))


def definitions(source: str) -> str:
    """Return the imports, functions and classes of a cell; nothing where it is no Python."""
    try:
        tree = ast.parse(source if len(source) <= LONGEST else "")
        return "\n".join(ast.unparse(each) for each in tree.body if isinstance(each, DEFINES))
    except NO_PYTHON:
        return ""
