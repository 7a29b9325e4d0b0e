"""Reads source/NN-unit/NN-unit.py, a py:percent text, and refuses what would make a bad notebook.

A cell says what it is by one key:

    # %% [markdown] exercise="table" title="The table" difficulty=2 minutes=10
    # %% solution="table"            the learner's cell, with ### BEGIN SOLUTION / ### END SOLUTION
    # %% test="table" points=3       may hold ### BEGIN HIDDEN TESTS / ### END HIDDEN TESTS
    # %% [markdown] essay="stacking" points=4     answered in prose, graded by hand

Any cell may have tags=["..."]. With tags=["figure"] its code, which shows a result, is folded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import ValidationError

from helpers.course.settings import CourseError

# kind → (cell type, keys that it must have beside its own)
KINDS = {
    "exercise": ("markdown", ("title", "difficulty", "minutes")),
    "solution": ("code", ()),
    "test": ("code", ("points",)),
    "essay": ("markdown", ("points",)),
}
TRAINING = "training"  # tag of cells that train a model; nothing graded depends on them
SHOWN = "shown"  # tag of other cells that show or compare something; nothing graded depends on them
FIGURE = "figure"  # tag of cells that draw or print a result; one click shows their code
ALWAYS = {"tags", "lines_to_next_cell"}
NAME = re.compile(r"[a-z][a-z0-9_]*")
MARKERS = {
    "solution": ("### BEGIN SOLUTION", "### END SOLUTION"),
    "test": ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"),
}


@dataclass
class Cell:
    """One cell of a source; `line` is that of its `# %%`, `kind` is empty for a plain cell."""

    line: int
    type: str
    text: str
    kind: str = ""
    name: str = ""
    keys: dict[str, Any] = field(default_factory=dict)


# What nbgrader would take, or an author might mistake, for a mark.
ANY_MARK = re.compile(r"\b(begin|end)\s+(solution|hidden\s+tests|mark\s+scheme)\b", re.IGNORECASE)


def read(path: Path) -> list[Cell]:
    """The cells of a source, checked.

    Raises:
        CourseError: the file cannot be read, or one line per fault: file, line, what to write.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path}: cannot be read as UTF-8 text ({error})") from error
    lines = [n for n, line in enumerate(text.split("\n"), 1) if line.startswith("# %%")]
    if not lines or text.split("\n")[0] != "# %% [markdown]":
        raise CourseError(f"{path}:1: a source begins with a '# %% [markdown]' cell, its title")
    import jupytext  # only authors have it: learners' commands import this module, too

    try:
        raw = jupytext.reads(text, fmt="py:percent").cells
    except ValidationError as error:
        raise CourseError(f'{path}: {error.message}; write tags as tags=["training"]') from error
    if len(raw) != len(lines):
        raise CourseError(
            f"{path}: it reads as {len(raw)} cells but has {len(lines)} lines that begin with "
            "'# %%'; keep that mark out of strings, and write it just so, without a magic behind it"
        )
    cells = [_cell(line, cell) for line, cell in zip(lines, raw, strict=True)]
    faults = list(_cell_faults(cells)) or list(_unit_faults(cells))
    if faults:
        raise CourseError("\n".join(f"{path}:{line}: {fault}" for line, fault in sorted(faults)))
    return cells


def heading(path: Path) -> str:
    """The title of a source, which is the first line of its first cell."""
    with path.open(encoding="utf-8-sig") as lines:
        return next((each.strip("# \n") for each in lines if each.startswith("# # ")), path.stem)


def points(cells: list[Cell], exercise: str = "") -> float:
    """Points of all graded cells, or of those of one exercise."""
    graded = [cell for cell in cells if "points" in cell.keys]
    return sum(cell.keys["points"] for cell in graded if exercise in ("", cell.name))


def _cell(line: int, raw: Any) -> Cell:
    keys = {name: value for name, value in raw.metadata.items() if name != "lines_to_next_cell"}
    kind = next((kind for kind in KINDS if kind in keys), "")
    name = keys.pop(kind) if kind else ""
    return Cell(line, raw.cell_type, raw.source, kind, name, keys)


def _cell_faults(cells: list[Cell]) -> Iterator[tuple[int, str]]:
    for cell in cells:
        cell_type, required = KINDS.get(cell.kind, (cell.type, ()))
        if cell.kind and not (isinstance(cell.name, str) and NAME.fullmatch(cell.name)):
            yield cell.line, f'{cell.kind}={cell.name!r}: write a name like {cell.kind}="my_table"'
        if cell.type not in ("code", "markdown"):
            yield cell.line, f"a {cell.type} cell; write code or [markdown]"
        elif cell.type != cell_type:
            yield cell.line, f"{cell.kind}= belongs in a {cell_type} cell, this is {cell.type}"
        for key in required:
            if key not in cell.keys:
                yield cell.line, f"{cell.kind}= needs {key}=… beside it"
        for key, value in cell.keys.items():
            yield from ((cell.line, fault) for fault in _key_faults(cell, required, key, value))
        yield from ((cell.line, fault) for fault in _marker_faults(cell))


def _key_faults(cell: Cell, required: tuple[str, ...], key: str, value: Any) -> Iterator[str]:
    if key in KINDS:
        yield f"one cell cannot be both {cell.kind}= and {key}=; make two cells"
    elif key == "points" and "points" not in required:
        yield "points= on nothing: it belongs beside test= or essay="
    elif key not in required and key not in ALWAYS:
        known = ", ".join(f"{k}=" for k in [*KINDS, *required, "tags"])
        yield f"unknown key {key!r}; known here: {known}"
    elif key in ("points", "minutes") and not (_number(value) and 0 < value < math.inf):
        yield f"{key}={value!r}: write a number above 0"
    elif key == "difficulty" and not (_number(value) and value in (1, 2, 3, 4, 5)):
        yield f"difficulty={value!r}: write a whole number from 1 to 5"
    elif key == "title" and not (isinstance(value, str) and re.fullmatch(r"[^|\n]+", value)):
        yield f'title={value!r}: write one line of text without "|"'


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _marker_faults(cell: Cell) -> Iterator[str]:
    exact = [mark for pair in MARKERS.values() for mark in pair]
    for line in cell.text.split("\n"):
        if ANY_MARK.search(line) and line.strip() not in exact:
            yield f"{line.strip()!r}: a mark stands alone in its line and is one of {exact}"
    for kind, (begin, end) in MARKERS.items():
        found = re.findall(f"{begin}|{end}", cell.text)
        if found and cell.kind != kind:
            yield f'"{begin}" outside a {kind}= cell would reach the learner; move it into one'
        elif found != [begin, end] * (len(found) // 2):
            yield f'"{begin}" and "{end}" must take turns, each with its partner'
        elif kind == cell.kind == "solution" and not found:
            yield f'a solution= cell needs "{begin}" and "{end}" around the lines to hide'


def _unit_faults(cells: list[Cell]) -> Iterator[tuple[int, str]]:
    seen: dict[tuple[str, str], int] = {}
    for cell in cells:
        key = (cell.kind, cell.name)
        if cell.kind and key in seen:
            yield cell.line, f'{cell.kind}="{cell.name}" is used in line {seen[key]}; name it anew'
        elif cell.kind in ("solution", "test", "essay") and ("exercise", cell.name) not in seen:
            text = f'has no exercise="{cell.name}" cell above it; write one'
            yield cell.line, f'{cell.kind}="{cell.name}" {text}'
        elif (
            cell.kind in ("solution", "essay")
            and {
                ("solution", cell.name),
                ("essay", cell.name),
            }
            & seen.keys()
        ):
            yield cell.line, f'"{cell.name}" is answered in code or in prose; name one of them anew'
        seen.setdefault(key, cell.line)
    for (kind, name), line in seen.items():
        for other in ("solution", "test"):
            if kind == "exercise" and (other, name) not in seen and ("essay", name) not in seen:
                yield line, f'exercise="{name}" has no {other}="{name}" cell; write one below it'
