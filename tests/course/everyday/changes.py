"""Changes that ordinary people make to a notebook with right answers.

Exercises are counted from 1, those in code only.
"""

from __future__ import annotations

import copy

from tests.course.everyday.work import Work, code, nbgrader, released

# Code of their own.


def on_top(work: Work, lines: str) -> None:
    """Write lines above the given imports, in their cell."""
    work.imports["source"] = f"{lines}\n{work.imports['source']}"


def before(work: Work, number: int, *codes: str) -> None:
    """Put cells in front of the answer to an exercise."""
    place = work.place(work.answer(number))
    work.cells[place:place] = map(code, codes)


def above(work: Work, number: int, lines: str) -> None:
    """Write lines above an answer, in its cell."""
    work.answer(number)["source"] = f"{lines}\n{work.answer(number)['source']}"


def below(work: Work, number: int, lines: str) -> None:
    """Write lines below an answer, in its cell."""
    work.answer(number)["source"] += f"\n{lines}"


def replaced(work: Work, number: int, old: str, new: str) -> None:
    """Write something else where one text stands in an answer."""
    answer = work.answer(number)
    assert answer["source"].count(old) == 1
    answer["source"] = answer["source"].replace(old, new)


# Cells that are cut and added.


def split(work: Work, number: int, at: str) -> None:
    """Cut an answer's cell in two in front of a text; both have its metadata."""
    second = work.answer(number)
    head, _, rest = second["source"].partition(at)
    first = copy.deepcopy(second)
    first["source"], second["source"] = head.rstrip(), at + rest
    work.cells.insert(work.place(second), first)


def in_cell_below(work: Work, number: int) -> None:
    """Leave the given cell as it is, and answer in a new one right below."""
    given = work.answer(number)
    name = nbgrader(given)["grade_id"]
    own = code("\n".join(given["source"].split("\n")[1:]))  # without the line with the name
    stub = next(c for c in released(work.unit)["cells"] if nbgrader(c).get("grade_id") == name)
    given["source"] = stub["source"]
    work.cells.insert(work.place(given) + 1, own)


# The file.


def beside(work: Work, path: str, text: str) -> None:
    work.beside[f"{work.path.rpartition('/')[0]}/{path}"] = text.encode()


def called(work: Work, path: str) -> None:
    work.path = path


def in_zip(work: Work) -> None:
    """Hand all in as a zip, in which there is no folder of the learner's name."""
    work.archive, work.path = "{who}/homework.zip", work.path.removeprefix("{who}/")
    work.beside = {name.removeprefix("{who}/"): work.beside[name] for name in work.beside}
