"""What editors, services and accidents make of a cell, a file's text, or all that is handed in."""

from __future__ import annotations

import copy
import json
from itertools import count
from typing import Any

import nbformat

from tests.course.everyday.work import Cell, Work, is_code, nbgrader, released

PICTURE = {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure size 640x480 with 1 Axes>"}


def of_colab(cell: Cell) -> None:
    """Write a cell's metadata and outputs as Colab does, with its id among them."""
    cell["metadata"] = {"id": cell.pop("id"), "colab": {"base_uri": "https://localhost:8080/"}}
    if is_code(cell):
        data: dict[str, Any] = {
            "application/vnd.google.colaboratory.intrinsic+json": {"type": "string"}
        }
        data["text/plain"] = "'3'"
        shown = {"output_type": "execute_result", "execution_count": 3, "metadata": {}}
        cell["outputs"] = [shown | {"data": data}]
        cell["metadata"]["outputId"] = "0a1b2c3d-0001"


def without_metadata(cell: Cell) -> None:
    cell["metadata"] = {}
    cell.pop("id", None)


def without_marker(cell: Cell) -> None:
    cell["source"] = cell["source"].partition("\n")[2]


def named_by_editor(cell: Cell) -> None:
    cell["metadata"]["vscode"] = {"languageId": "python"}
    cell["id"] = "1"


def of_kind(kind: str, cell: Cell) -> None:
    """Make a cell another kind of cell, as a key does that is pressed by accident."""
    cell["cell_type"] = kind
    cell.pop("outputs", None)
    cell.pop("execution_count", None)


def old_format(text: str) -> str:
    """Write a notebook as version 3, which knows neither ids nor nbgrader's newer fields."""
    return nbformat.writes(nbformat.from_dict(json.loads(text)), version=3)


def _essay(work: Work) -> Cell:
    return next(cell for cell in work.cells if nbgrader(cell).get("grade_id") == "stacking")


def essay_below(work: Work) -> None:
    """Leave the essay's cell as it was given, and write in a new one below it."""
    essay = _essay(work)
    [given] = [c for c in released(work.unit)["cells"] if nbgrader(c).get("grade_id") == "stacking"]
    new = {"cell_type": "markdown", "id": "mine", "metadata": {}, "source": essay["source"]}
    essay["source"] = given["source"]
    work.cells.insert(work.place(essay) + 1, new)


def essay_as_code(work: Work) -> None:
    """Make the essay a cell of code, in which it stands as a comment."""
    essay = _essay(work)
    essay["cell_type"] = "code"
    essay["source"] = "\n".join(f"# {line}" for line in essay["source"].split("\n"))
    essay |= {"outputs": [], "execution_count": None}


def large_outputs(cell: Cell) -> None:
    if is_code(cell):
        shown = {"output_type": "stream", "name": "stdout", "text": "a line of it\n" * 2_000}
        cell["outputs"] = [shown, {"output_type": "display_data", "metadata": {}, "data": PICTURE}]


def as_form(cell: Cell) -> None:
    cell["metadata"]["cellView"] = "form"


def in_lines(cell: Cell) -> None:
    """Leave the ends of lines out, as some programs do."""
    cell["source"] = cell["source"].splitlines()


def commented(cell: Cell) -> None:
    cell["source"] = cell["source"].replace("\ncheck", "\n# check")


def counted(work: Work) -> None:
    """Give the cells counters that fall."""
    counter = count(100, -1)
    for cell in work.cells:
        if "execution_count" in cell:
            cell["execution_count"] = next(counter)


def given_first(work: Work) -> None:
    """Exchange the halves of a doubled notebook, the first of which is as it was given."""
    work.cells[: len(work.cells) // 2] = released(work.unit)["cells"]


def without_checks(work: Work) -> None:
    """Throw all checks away."""
    work.cells[:] = [cell for cell in work.cells if not nbgrader(cell).get("locked")]


def imports_twice(work: Work) -> None:
    work.cells.append(copy.deepcopy(work.imports))


def with_notes(work: Work) -> None:
    text = "# My *notes*\n<b>and</b> $x$"
    notes = {"cell_type": "markdown", "metadata": {}, "id": "notes", "source": text}
    work.cells.insert(9, notes)


def first_check_as_text(work: Work) -> None:
    of_kind("markdown", work.check(1))


def fourth_answer_as_raw(work: Work) -> None:
    of_kind("raw", work.answer(4))


def on_a_mac(work: Work) -> None:
    """Leave what a Mac adds to a zip."""
    left = {"{who}/__MACOSX/._{unit}.ipynb": b"\0\5\26\7", "{who}/.DS_Store": b"\0"}
    work.beside.update(left)


def conflicted(text: str) -> str:
    """Write a merge's lines into a file, both sides the same."""
    lines = text.split("\n")
    third = len(lines) // 3
    both = lines[third : third + 3]
    merge = ["<<<<<<< HEAD", *both, "=======", *both, ">>>>>>> abc"]
    return "\n".join([*lines[:third], *merge, *lines[third + 3 :]])


def web_page(_: str) -> str:
    return "<!DOCTYPE html><html><body>notebook</body></html>"


def pdf(_: str) -> str:
    return "%PDF-1.7"


def utf_16(text: str) -> bytes:
    return text.encode("utf-16")


def of_windows(text: str) -> bytes:
    """Write a mark of the encoding and line ends as Windows does."""
    return text.replace("\\n", "\\r\\n").replace("\n", "\r\n").encode("utf-8-sig")
