"""What one learner hands in: a notebook with right answers, and changes that ordinary people make.

Exercises are counted from 1, those in code only.
"""

from __future__ import annotations

import copy
import json
import re
import zlib
from functools import cache
from typing import Any

from tests.common import ROOT, UNITS
from tests.course.intake.handed_in import zipped

Cell = dict[str, Any]
IMPORTS = re.compile(r"^import torch$", re.MULTILINE)


class Work:
    """A perfect notebook of a unit, to be changed; its cells have their source as one text.

    Args:
        path: where it is handed in; `{who}` stands for the learner and `{unit}` for the unit.
        beside: other files, by their path. archive: the zip that all is put in, if any.
    """

    def __init__(self, unit: str) -> None:
        self.unit = next(each for each in UNITS if each.startswith(unit))
        self.notebook: dict[str, Any] = copy.deepcopy(_perfect(self.unit))
        self.path, self.archive = "{who}/{unit}/{unit}.ipynb", ""
        self.beside: dict[str, bytes] = {}

    @property
    def cells(self) -> list[Cell]:
        return self.notebook["cells"]

    @property
    def imports(self) -> Cell:
        return next(c for c in self.cells if is_code(c) and IMPORTS.search(c["source"]))

    def answer(self, number: int) -> Cell:
        return [c for c in self.cells if is_code(c) and nbgrader(c).get("solution")][number - 1]

    def place(self, cell: Cell) -> int:
        return next(n for n, each in enumerate(self.cells) if each is cell)

    def files(self, who: str) -> dict[str, bytes]:
        text = json.dumps(self.notebook, ensure_ascii=False, indent=1)
        found = {self.path: text.encode(), **self.beside}
        found = {each.format(who=who, unit=self.unit): found[each] for each in found}
        return {self.archive.format(who=who): zipped(found)} if self.archive else found


def is_code(cell: Cell) -> bool:
    return cell.get("cell_type") == "code"


def nbgrader(cell: Cell) -> dict[str, Any]:
    return cell["metadata"].get("nbgrader", {})


def released(unit: str, folder: str = "notebooks") -> dict[str, Any]:
    """Return the notebook that learners are given, each source as one text."""
    read = json.loads((ROOT / folder / unit / f"{unit}.ipynb").read_text("utf-8"))
    for cell in read["cells"]:
        cell["source"] = "".join(cell["source"])
    return read


@cache
def _perfect(unit: str) -> dict[str, Any]:
    solved = [c for c in released(unit, "solutions")["cells"] if nbgrader(c).get("solution")]
    answers = {nbgrader(cell)["grade_id"]: cell["source"] for cell in solved}
    notebook = released(unit)
    for cell in notebook["cells"]:
        cell["source"] = answers.get(nbgrader(cell).get("grade_id"), cell["source"])
    return notebook


def code(source: str) -> Cell:
    cell = {"cell_type": "code", "metadata": {}, "source": source, "outputs": []}
    return cell | {"execution_count": None, "id": f"own-{zlib.crc32(source.encode())}"}


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
