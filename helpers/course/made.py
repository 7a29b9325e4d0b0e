"""Made submissions: with a usual mistake, or right in another way.

The demo grades a small class of them, the tests a large one.
"""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any

from nbformat import NotebookNode

from helpers.checks.exercise import Exercise, Mistake

Answers = Mapping[str, Callable[..., Any]]


def module_of(unit: str, kind: str = "") -> Any:
    """The module of `helpers.checks` (or of its `mistakes` or `variants`) for a unit."""
    name = unit.split("-", 1)[1].replace("-", "_")
    return importlib.import_module(".".join(filter(None, ["helpers.checks", kind, name])))


def exercises(unit: str) -> dict[str, Exercise]:
    """The unit's exercises by name."""
    found = vars(module_of(unit)).values()
    return {each.name: each for each in found if isinstance(each, Exercise)}


def mistaken(unit: str) -> list[dict[str, Mistake]]:
    """Every mistake of every exercise once, one per exercise in each submission."""
    columns = [[(each.name, m) for m in each.mistakes] for each in exercises(unit).values()]
    return [dict(filter(None, row)) for row in zip_longest(*columns)]


def varied(unit: str) -> list[Answers]:
    """Every right variant once, one per exercise in each submission."""
    variants = module_of(unit, "variants").VARIANTS
    columns = [[(name, answer) for answer in answers] for name, answers in variants.items()]
    return [dict(filter(None, row)) for row in zip_longest(*columns)]


def answered(solution: NotebookNode, answers: Answers) -> NotebookNode:
    """The solution with some answers replaced, and without the cells that train a model.

    Nothing graded depends on those cells, and a learner may delete them too.
    """
    notebook = copy.deepcopy(solution)
    notebook.cells = [c for c in notebook.cells if "training" not in c.metadata.get("tags", [])]
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell.source = as_cell(answers[name], _defined(cell.source))
    return notebook


def as_cell(answer: Callable[..., Any], name: str) -> str:
    """The source of `answer`, with its imports, as a learner's cell that defines `name`."""
    module = inspect.getmodule(answer)
    assert module is not None
    tree = ast.parse(inspect.getsource(module))
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    lines = [ast.unparse(node) for node in imports]
    lines = [line for line in lines if "__future__" not in line and "helpers.checks" not in line]
    chain = reversed(answer.__mro__) if isinstance(answer, type) else [answer]
    pieces = [inspect.getsource(each) for each in chain if each.__module__ == module.__name__]
    final = [] if name == answer.__name__ else [f"{name} = {answer.__name__}"]
    return "\n".join([*lines, "", *pieces, *final])


def _defined(text: str) -> str:
    """Name of the function or class that a learner's cell defines."""
    body = ast.parse(text).body
    return next(n.name for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef))
