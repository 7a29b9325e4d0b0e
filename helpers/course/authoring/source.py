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
from collections.abc import Callable, Iterator
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
PROSE_OR_CODE = ("solution", "essay")  # an exercise is answered in one of them
NAME = re.compile(r"[a-z][a-z0-9_]*")
MARKERS = {
    "solution": ("### BEGIN SOLUTION", "### END SOLUTION"),
    "test": ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"),
}
# What nbgrader would take, or an author might mistake, for a mark.
ANY_MARK = re.compile(r"\b(begin|end)\s+(solution|hidden\s+tests|mark\s+scheme)\b", re.IGNORECASE)


def _positive(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < math.inf


# key → (whether its value is good, what to write instead)
VALUES: dict[str, tuple[Callable[[Any], object], str]] = {
    "points": (_positive, "a number above 0"),
    "minutes": (_positive, "a number above 0"),
    "difficulty": (
        lambda value: _positive(value) and value in range(6),
        "a whole number from 1 to 5",
    ),
    "title": (
        lambda value: isinstance(value, str) and re.fullmatch(r"[^|\n]+", value),
        'one line of text without "|"',
    ),
    "tags": (lambda value: True, ""),  # jupytext has refused what is no list
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


def read(path: Path) -> list[Cell]:
    """Return the cells of a source, checked.

    Raises:
        CourseError: the file cannot be read, or one line per fault: file, line, what to write.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path}: cannot be read as UTF-8 text ({error})") from error
    lines = [n for n, line in enumerate(text.split("\n"), 1) if line.startswith("# %%")]
    if text.split("\n")[0] != "# %% [markdown]":
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
    faults = [(cell.line, fault) for cell in cells for fault in _faults(cell)]
    if faults := faults or list(_faults_of_unit(cells)):
        raise CourseError("\n".join(f"{path}:{line}: {fault}" for line, fault in sorted(faults)))
    return cells


def heading(path: Path) -> str:
    """Return the title of a source, which is the first line of its first cell."""
    with path.open(encoding="utf-8-sig") as lines:
        return next((each.strip("# \n") for each in lines if each.startswith("# # ")), path.stem)


def points(cells: list[Cell], exercise: str = "") -> float:
    """Return the points of all graded cells, or of those of one exercise."""
    return sum(cell.keys.get("points", 0) for cell in cells if exercise in ("", cell.name))


def _cell(line: int, raw: Any) -> Cell:
    keys = {name: value for name, value in raw.metadata.items() if name != "lines_to_next_cell"}
    kind = next((kind for kind in KINDS if kind in keys), "")
    name = keys.pop(kind) if kind else ""
    return Cell(line, raw.cell_type, raw.source, kind, name, keys)


def _faults(cell: Cell) -> Iterator[str]:
    """Yield what is wrong with one cell, and what to write."""
    cell_type, required = KINDS.get(cell.kind, (cell.type, ()))
    if cell.kind and not (isinstance(cell.name, str) and NAME.fullmatch(cell.name)):
        yield f'{cell.kind}={cell.name!r}: write a name like {cell.kind}="my_table"'
    if cell.type not in ("code", "markdown"):
        yield f"a {cell.type} cell; write code or [markdown]"
    elif cell.type != cell_type:
        yield f"{cell.kind}= belongs in a {cell_type} cell, this is {cell.type}"
    yield from (f"{cell.kind}= needs {key}=… beside it" for key in required if key not in cell.keys)
    for key, value in cell.keys.items():
        if key in KINDS:
            yield f"one cell cannot be both {cell.kind}= and {key}=; make two cells"
        elif key == "points" and key not in required:
            yield "points= on nothing: it belongs beside test= or essay="
        elif key not in (*required, "tags"):
            known = ", ".join(f"{each}=" for each in [*KINDS, *required, "tags"])
            yield f"unknown key {key!r}; known here: {known}"
        elif not VALUES[key][0](value):
            yield f"{key}={value!r}: write {VALUES[key][1]}"
    exact = [mark for pair in MARKERS.values() for mark in pair]
    for line in map(str.strip, cell.text.split("\n")):
        if ANY_MARK.search(line) and line not in exact:
            yield f"{line!r}: a mark stands alone in its line and is one of {exact}"
    for kind, (begin, end) in MARKERS.items():
        found = re.findall(f"{begin}|{end}", cell.text)
        if found and cell.kind != kind:
            yield f'"{begin}" outside a {kind}= cell would reach the learner; move it into one'
        elif found != [begin, end] * (len(found) // 2):
            yield f'"{begin}" and "{end}" must take turns, each with its partner'
        elif kind == cell.kind == "solution" and not found:
            yield f'a solution= cell needs "{begin}" and "{end}" around the lines to hide'


def _faults_of_unit(cells: list[Cell]) -> Iterator[tuple[int, str]]:
    """Yield what is wrong between cells that are good by themselves, with its line."""
    seen: dict[tuple[str, str], int] = {}
    for cell in [cell for cell in cells if cell.kind]:
        kind, name = key = (cell.kind, cell.name)
        if key in seen:
            yield cell.line, f'{kind}="{name}" is used in line {seen[key]}; name it anew'
        elif kind != "exercise" and ("exercise", name) not in seen:
            yield cell.line, f'{kind}="{name}" has no exercise="{name}" cell above it; write one'
        elif kind in PROSE_OR_CODE and {(each, name) for each in PROSE_OR_CODE} & {*seen}:
            yield cell.line, f'"{name}" is answered in code or in prose; name one of them anew'
        seen.setdefault(key, cell.line)
    for (kind, name), line in seen.items():
        for other in ("solution", "test"):
            if kind == "exercise" and not {(other, name), ("essay", name)} & {*seen}:
                yield line, f'exercise="{name}" has no {other}="{name}" cell; write one below it'
