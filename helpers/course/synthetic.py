"""Synthetic submissions: solved notebooks in which some answers are replaced by usual mistakes.

The demo grades a small class of them, the tests a large one.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import zip_longest
from types import ModuleType
from typing import Any

from nbformat import NotebookNode

from helpers.checks import exercises
from helpers.checks.engine import Mistake
from helpers.course.authoring.source import TRAINING

Answers = Mapping[str, Callable[..., Any]]


def mistaken(unit: str) -> list[dict[str, Mistake]]:
    """Every mistake of every exercise once, one per exercise in each submission."""
    columns = [[(each.name, m) for m in each.mistakes] for each in exercises(unit).values()]
    return [dict(filter(None, row)) for row in zip_longest(*columns)]


def answered(solution: NotebookNode, answers: Answers) -> NotebookNode:
    """The solution with some answers replaced, and without the cells that train a model.

    Nothing graded depends on those cells, and a learner may delete them too.
    """
    notebook = copy.deepcopy(solution)
    notebook.cells = [c for c in notebook.cells if TRAINING not in c.metadata.get("tags", [])]
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell.source = as_cell(answers[name], _defined(cell.source))
    return notebook


def as_cell(answer: Callable[..., Any], name: str) -> str:
    """The source of `answer`, with the imports that it uses, as a cell that defines `name`.

    A class brings its bases along that stand in the same folder.
    """
    folder = answer.__module__.rpartition(".")[0]
    chain = list(reversed(answer.__mro__)) if isinstance(answer, type) else [answer]
    chain = [each for each in chain if each.__module__.rpartition(".")[0] == folder]
    pieces = [_undecorated(each) for each in chain]
    final = [] if name == answer.__name__ else [f"{name} = {answer.__name__}"]
    names = _names("\n".join(pieces)) - {each.__name__ for each in chain}
    files = dict.fromkeys(inspect.getmodule(each) for each in chain)
    imports = dict.fromkeys(line for file in files if file for line in _imports(file, names))
    return "\n".join([*imports, "", *pieces, *final])


def _undecorated(answer: Callable[..., Any]) -> str:
    """Its source without `@table.mistake(…)`; other decorators belong to it."""
    text = inspect.getsource(answer)
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    lines = text.splitlines(keepends=True)
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(".mistake"):
            assert decorator.end_lineno is not None
            lines[decorator.lineno - 1 : decorator.end_lineno] = [""] * (
                decorator.end_lineno - decorator.lineno + 1
            )
    return "".join(lines)


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def _imports(module: ModuleType, names: set[str]) -> Iterator[str]:
    for node in _imported(module):
        kept = [a for a in node.names if (a.asname or a.name).split(".")[0] in names]
        if kept:
            only = copy.copy(node)
            only.names = kept
            yield ast.unparse(only)


@cache  # many answers of one file become cells
def _imported(module: ModuleType) -> list[ast.Import | ast.ImportFrom]:
    body = ast.parse(inspect.getsource(module)).body
    return [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]


def _defined(text: str) -> str:
    """Name of the function or class that a learner's cell defines."""
    body = ast.parse(text).body
    return next(n.name for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef))
