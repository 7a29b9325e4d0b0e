"""Changes that ordinary people make to a notebook with right answers.

A change is a function of the work. Exercises are counted from 1, those in code only.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

from tests.course.everyday.work import Cell, Change, Work, code, is_code, nbgrader, released

# Code of their own.


def on_top(lines: str) -> Change:
    """Write lines above the given imports, in their cell."""
    return lambda work: work.imports.update(source=f"{lines}\n{work.imports['source']}")


def before(number: int, *codes: str) -> Change:
    """Put cells in front of the answer to an exercise."""

    def change(work: Work) -> None:
        place = work.place(work.answer(number))
        work.cells[place:place] = map(code, codes)

    return change


def after(number: int, *codes: str) -> Change:
    """Put cells behind the check of an exercise."""

    def change(work: Work) -> None:
        place = work.place(work.check(number)) + 1
        work.cells[place:place] = map(code, codes)

    return change


def above(number: int, lines: str) -> Change:
    """Write lines above an answer, in its cell."""
    return edited(number, lambda source: f"{lines}\n{source}")


def below(number: int, lines: str) -> Change:
    """Write lines below an answer, in its cell."""
    return edited(number, lambda source: f"{source}\n{lines}")


def inside(number: int, line: str) -> Change:
    """Write a line as the first in an answer's function, behind its docstring."""

    def change(source: str) -> str:
        tree = ast.parse(source)
        function = next(each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))
        first = function.body[ast.get_docstring(function) is not None]
        lines = source.split("\n")
        lines.insert(first.lineno - 1, " " * first.col_offset + line)
        return "\n".join(lines)

    return edited(number, change)


def edited(number: int, change: Callable[[str], str]) -> Change:
    """Write an answer's cell anew."""
    return lambda work: work.answer(number).update(source=change(work.answer(number)["source"]))


def replaced(number: int, old: str, new: str) -> Change:
    """Write something else in an answer's cell."""
    return edited(number, lambda source: source.replace(old, new))


def twice(number: int) -> Change:
    """Write an answer's text again below it, as real-time collaboration may."""
    return edited(number, lambda source: source + source)


# Cells that are moved, copied, and made something else.


def each_cell(change: Callable[[Cell], Any]) -> Change:
    """Do something to all cells."""

    def changed(work: Work) -> None:
        for cell in work.cells:
            change(cell)

    return changed


def without(*fields: str) -> Change:
    """Leave fields out of all cells."""

    def change(cell: Cell) -> None:
        for field in fields:
            cell.pop(field, None)

    return each_cell(change)


def answers(change: Callable[[Cell], Any]) -> Change:
    """Do something to all answers in code."""
    return each_cell(lambda c: change(c) if is_code(c) and nbgrader(c).get("solution") else None)


def checks(change: Callable[[Cell], Any]) -> Change:
    """Do something to all checks."""
    return each_cell(lambda c: change(c) if is_code(c) and nbgrader(c).get("grade") else None)


def split(number: int, at: str, keeps: bool = True) -> Change:
    """Cut an answer's cell in two in front of a text; both have its metadata, or the second."""

    def change(work: Work) -> None:
        second = work.answer(number)
        head, _, rest = second["source"].partition(at)
        first = copy.deepcopy(second) if keeps else code("")
        first["source"], second["source"] = head.rstrip(), at + rest
        work.cells.insert(work.place(second), first)

    return change


def merged(first: int, second: int) -> Change:
    """Write two answers into the cell of the first, and delete that of the second."""

    def change(work: Work) -> None:
        other = work.answer(second)
        work.answer(first)["source"] += "\n\n" + other["source"]
        del work.cells[work.place(other)]

    return change


def in_cell_below(number: int) -> Change:
    """Leave the given cell as it is, and answer in a new one right below."""

    def change(work: Work) -> None:
        given = work.answer(number)
        name = nbgrader(given)["grade_id"]
        own = code("\n".join(given["source"].split("\n")[1:]))  # without the line with the name
        stub = next(c for c in released(work.unit)["cells"] if nbgrader(c).get("grade_id") == name)
        given["source"] = stub["source"]
        work.cells.insert(work.place(given) + 1, own)

    return change


def copied(number: int) -> Change:
    """Copy an answer with its check, metadata and ids, to the end."""
    return lambda work: work.cells.extend(copy.deepcopy([work.answer(number), work.check(number)]))


def swapped(first: int, second: int) -> Change:
    """Exchange two exercises, each an answer with its check."""

    def change(work: Work) -> None:
        pairs = [(work.answer(n), work.check(n)) for n in (first, second)]
        for one, other in zip(*pairs, strict=True):
            here, there = work.place(one), work.place(other)
            work.cells[here], work.cells[there] = other, one

    return change


def doubled(solved: bool) -> Change:
    """Put all cells into the notebook again, as they are or as they were given."""

    def change(work: Work) -> None:
        again = copy.deepcopy(work.cells if solved else released(work.unit)["cells"])
        work.cells.extend(cell | {"id": f"again-{n}"} for n, cell in enumerate(again))

    return change


def whole(change: Change) -> Change:
    """Do something to all that is handed in."""
    return change


# The file.


def beside(path: str, text: str) -> Change:
    """Put a file beside the notebook."""

    def change(work: Work) -> None:
        work.beside[f"{work.path.rpartition('/')[0]}/{path}"] = text.encode()

    return change


def called(path: str) -> Change:
    """Hand the notebook in by another path."""
    return lambda work: setattr(work, "path", path)


def in_zip(path: str = "{who}/homework.zip") -> Change:
    """Hand all in as a zip, in which there is no folder of the learner's name."""

    def change(work: Work) -> None:
        work.archive, work.path = path, work.path.removeprefix("{who}/")
        work.beside = {name.removeprefix("{who}/"): work.beside[name] for name in work.beside}

    return change


def written(change: Callable[[str], str | bytes]) -> Change:
    """Write the file's text anew."""
    return lambda work: work.written.append(change)


def metadata(**fields: Any) -> Change:
    """Give the notebook other metadata."""
    return lambda work: work.notebook["metadata"].update(fields)
