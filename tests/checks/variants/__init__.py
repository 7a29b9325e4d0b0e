"""Right answers written differently: each must earn full marks.

They stand as Python in a unit's module here, or beside the exercise's mistakes.
"""

import ast
import copy
import importlib.util
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import zip_longest
from types import ModuleType
from typing import Any

from helpers.checks import exercises, package
from helpers.checks.engine import Mistake, Written

Answers = Mapping[str, Written]


def of(unit: str) -> dict[str, list[Written]]:
    """Return the right answers to each exercise of a unit, those that its mistakes change too.

    What begins with the name of an exercise answers it: `table_in_numpy` answers `table`.
    """
    place = f"{__name__}.{package(unit).rsplit('.', 1)[1]}"
    here = vars(importlib.import_module(place)) if importlib.util.find_spec(place) else {}
    found: dict[str, list[Written]] = {name: [] for name in exercises(unit)}
    for name, answer in here.items():
        if getattr(answer, "__module__", "") == place and not name.startswith("_"):
            [exercise] = [each for each in found if name.startswith(f"{each}_")]
            found[exercise].append(written(answer))
    return {name: [*found[name], *each.right_answers] for name, each in exercises(unit).items()}


def in_submissions(unit: str) -> list[Answers]:
    """Every right answer once, one per exercise in each submission."""
    columns = [[(name, answer) for answer in answers] for name, answers in of(unit).items()]
    return [dict(filter(None, row)) for row in zip_longest(*columns)]


def mistaken(unit: str) -> list[dict[str, Mistake]]:
    """Return every mistake of every exercise once, one per exercise in each submission."""
    columns = [[(each.name, m) for m in each.mistakes] for each in exercises(unit).values()]
    return [dict(filter(None, row)) for row in zip_longest(*columns)]


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
