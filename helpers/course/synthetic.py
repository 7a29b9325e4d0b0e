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
from helpers.checks.engine import Mistake, Written
from helpers.course.authoring.source import TRAINING


def mistaken(unit: str) -> list[dict[str, Mistake]]:
    """Return every mistake of every exercise once, one per exercise in each submission."""
    columns = [[(each.name, m) for m in each.mistakes] for each in exercises(unit).values()]
    return [dict(filter(None, row)) for row in zip_longest(*columns)]


def answered(solution: NotebookNode, answers: Mapping[str, Written]) -> NotebookNode:
    """Return the solution with some answers replaced, without the cells that train a model.

    Nothing graded depends on those cells, and a learner may delete them too.
    """
    notebook = copy.deepcopy(solution)
    notebook.cells = [c for c in notebook.cells if TRAINING not in c.metadata.get("tags", [])]
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name in answers:
            body = ast.parse(cell.source).body
            wanted = next(n.name for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef))
            answer = answers[name]
            same = "" if wanted == answer.defines else f"\n{wanted} = {answer.defines}"
            cell.source = answer.text + same
    return notebook


def written(answer: Callable[..., Any]) -> Written:
    """Return the source of `answer` with the imports that it uses.

    A class brings its bases along that stand in the same folder.
    """
    folder = answer.__module__.rpartition(".")[0]
    chain = list(reversed(answer.__mro__)) if isinstance(answer, type) else [answer]
    chain = [each for each in chain if each.__module__.rpartition(".")[0] == folder]
    pieces = [inspect.getsource(each) for each in chain]
    nodes = ast.walk(ast.parse("\n".join(pieces)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names -= {each.__name__ for each in chain}
    files = dict.fromkeys(inspect.getmodule(each) for each in chain)
    imports = dict.fromkeys(line for file in files if file for line in _imports(file, names))
    return Written(answer.__name__.replace("_", " "), "\n".join([*imports, "", *pieces]))


def _imports(module: ModuleType, names: set[str]) -> Iterator[str]:
    """Yield the imports of a module, each with only those names."""
    for node in _imported(module):
        used = [a for a in node.names if (a.asname or a.name).split(".")[0] in names]
        if used:
            only = copy.copy(node)
            only.names = used
            yield ast.unparse(only)


@cache  # many answers of one file become cells
def _imported(module: ModuleType) -> list[ast.Import | ast.ImportFrom]:
    body = ast.parse(inspect.getsource(module)).body
    return [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
