"""Which cells of a lesson its answers depend on: only those are run where a class is graded.

A lesson trains, measures and draws, for whoever reads it. An answer needs hardly any of that: as a
rule the imports alone. What a learner wrote or changed is always run, and all that it uses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from nbformat import NotebookNode
from pyflakes.checker import Builtin, Checker, ModuleScope
from pyflakes.messages import UndefinedName

from helpers.course.authoring.source import TRAINING

SKIPPED = "skipped"  # tag of a cell that is not run
WORD = re.compile(r"\w+")
# Code with one of these may use a name without writing it as one, or where pyflakes does not look.
BY_TEXT = re.compile(
    r"\b(await|eval|exec|compile|globals|locals|vars|dir|getattr|get_ipython|__main__|__dict__"
    r"|NameError)\b|\bimport\s*\*"
)
LONGEST = 20_000  # characters of a cell that is looked into: some take their square in time


class Names(NamedTuple):
    """What a cell takes from other cells, and what it binds for them."""

    used: frozenset[str]
    bound: frozenset[str]


def skip(notebook: NotebookNode, release: NotebookNode) -> None:
    """Tag the code cells that need not be run, and those that train.

    Args:
        notebook: repaired, so that its graded cells have the names of the release's.
        release: whose other cells are the lesson.
    """
    plain = [cell for cell in _code(release) if "nbgrader" not in cell.metadata]
    lesson = {cell.source.strip() for cell in plain}
    trains = {cell.source.strip() for cell in plain if _has(cell, TRAINING)}
    cells = list(_code(notebook))
    known = [c for c in cells if "nbgrader" not in c.metadata and c.source.strip() in lesson]
    mine = [cell for cell in cells if cell.source.strip() not in lesson]
    idle = {id(cell) for cell in cells} - {id(cell) for cell in mine + needed(mine, known)}
    for cell in cells:
        if id(cell) in idle or _has(cell, TRAINING) or cell.source.strip() in trains:
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), SKIPPED]


def needed(mine: list[NotebookNode], lesson: list[NotebookNode]) -> list[NotebookNode]:
    """The cells of the lesson that `mine` depend on, in any number of steps."""
    wanted = {name for cell in mine for name in names(cell.source.strip()).used}
    found: list[NotebookNode] = []
    left = lesson
    while more := [cell for cell in left if names(cell.source.strip()).bound & wanted]:
        found += more
        left = [cell for cell in left if not any(cell is each for each in more)]
        wanted |= {name for cell in more for name in names(cell.source.strip()).used}
    return found


@lru_cache(maxsize=1024)  # the lessons of all units, for a whole class
def names(source: str) -> Names:
    """What a cell uses and binds; every word in it, where that cannot be told."""
    every = frozenset(WORD.findall(source))
    try:
        checked = Checker(ast.parse(source)) if len(source) <= LONGEST else None
    except Exception:  # a magic or a shell's command, as a rule; a learner may write anything
        checked = None
    if checked is None:
        return Names(every, every)
    [scope] = [each for each in checked.deadScopes if isinstance(each, ModuleScope)]
    bound = frozenset(name for name, of in scope.items() if not isinstance(of, Builtin))
    if BY_TEXT.search(source):
        return Names(every, bound)
    undefined = (each for each in checked.messages if isinstance(each, UndefinedName))
    return Names(frozenset(str(each.message_args[0]) for each in undefined), bound)


def _code(notebook: NotebookNode) -> Iterable[NotebookNode]:
    return (cell for cell in notebook.cells if cell.cell_type == "code")


def _has(cell: NotebookNode, tag: str) -> bool:
    return tag in cell.metadata.get("tags", [])
