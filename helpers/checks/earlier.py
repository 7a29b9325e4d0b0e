"""Answers of an earlier unit: the learner's own, or the course's where there is none that is right.

Units are notebooks of their own, so the other one is read as a file: the imports above an answer
are run, and its cell. On Colab there is no other notebook, and the lesson goes on with the
course's answers.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from helpers.checks import package
from helpers.checks.engine import Answer
from helpers.checks.engine.run import silent

Cell = tuple[str, str]  # the id of a graded cell, or "", and its text


def answers(unit: str, beside: Path | None = None, **names: str) -> list[Answer]:
    """The answers to some exercises of an earlier unit; a line says whose they are.

    Args:
        unit: as 07-bert-inputs.
        beside: folder of the notebook that asks; the working directory if not given.
        names: exercise → what its answer is called.
    """
    folder, name = beside or Path.cwd(), f"{unit}.ipynb"
    path = next(filter(Path.is_file, (folder.parent / unit / name, folder / name)), None)
    cells = _cells(path) if path else []
    checks = importlib.import_module(package(unit))
    own = {each: _own(getattr(checks, each), names[each], cells) for each in names}
    mine = [names[each] for each in names if own[each]]
    ours = [names[each] for each in names if not own[each]]
    if mine:
        print(f"Yours, from unit {unit[:2]}: {', '.join(mine)}.")
    if ours:
        why = "yours is not right yet" if path else f"unit {unit[:2]} was not found beside this one"
        print(f"The course's ({why}): {', '.join(ours)}.")
    return [own[each] or getattr(checks, each).reference for each in names]


def _cells(path: Path) -> list[Cell]:
    """The code cells; none where the file cannot be read."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [
            (cell["metadata"].get("nbgrader", {}).get("grade_id", ""), "".join(cell["source"]))
            for cell in cells
            if cell["cell_type"] == "code"
        ]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return []


def _own(exercise: Any, name: str, cells: list[Cell]) -> Answer | None:
    """What the exercise's cell defines under `name`, if it is right."""
    ids = [each for each, _ in cells]
    if exercise.name not in ids:
        return None
    place = ids.index(exercise.name)
    space: dict[str, Any] = {"__name__": "__main__"}
    try:
        with silent():
            exec("\n".join([*_imports(cells[:place]), cells[place][1]]), space)
            return space[name] if exercise.is_correct(space[name]) else None
    except (Exception, SystemExit):  # a learner's cell may raise anything
        return None


def _imports(cells: list[Cell]) -> Iterator[str]:
    """The import statements of those cells that are Python."""
    for _, text in cells:
        try:
            body = ast.parse(text).body
        except SyntaxError:  # a line of IPython's, say
            continue
        yield from (ast.unparse(e) for e in body if isinstance(e, ast.Import | ast.ImportFrom))
