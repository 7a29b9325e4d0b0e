"""What one learner hands in: a notebook with right answers, to be changed."""

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
