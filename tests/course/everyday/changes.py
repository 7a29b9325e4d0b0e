"""Changes that ordinary people make to a notebook with right answers.

A change is a function of the work. Exercises are counted from 1, those in code only.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

from tests.course.everyday.work import Change, Work, code, nbgrader, released

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


def above(number: int, lines: str) -> Change:
    """Write lines above an answer, in its cell."""
    return edited(number, lambda source: f"{lines}\n{source}")


def below(number: int, lines: str) -> Change:
    """Write lines below an answer, in its cell."""
    return edited(number, lambda source: f"{source}\n{lines}")


def edited(number: int, change: Callable[[str], str]) -> Change:
    return lambda work: work.answer(number).update(source=change(work.answer(number)["source"]))


def replaced(number: int, old: str, new: str) -> Change:
    """Write something else where one text stands in an answer."""

    def change(source: str) -> str:
        assert source.count(old) == 1
        return source.replace(old, new)

    return edited(number, change)


# Cells that are cut and added.


def split(number: int, at: str) -> Change:
    """Cut an answer's cell in two in front of a text; both have its metadata."""

    def change(work: Work) -> None:
        second = work.answer(number)
        head, _, rest = second["source"].partition(at)
        first = copy.deepcopy(second)
        first["source"], second["source"] = head.rstrip(), at + rest
        work.cells.insert(work.place(second), first)

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


# The file.


def beside(path: str, text: str) -> Change:
    def change(work: Work) -> None:
        work.beside[f"{work.path.rpartition('/')[0]}/{path}"] = text.encode()

    return change


def called(path: str) -> Change:
    return lambda work: setattr(work, "path", path)


def in_zip() -> Change:
    """Hand all in as a zip, in which there is no folder of the learner's name."""

    def change(work: Work) -> None:
        work.archive, work.path = "{who}/homework.zip", work.path.removeprefix("{who}/")
        work.beside = {name.removeprefix("{who}/"): work.beside[name] for name in work.beside}

    return change
