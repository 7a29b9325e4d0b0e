"""What editors and accidents do to the JSON of a notebook, and the repair that each gets."""

import json
from collections.abc import Callable
from typing import Any


def _without_metadata_and_ids(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        cell["metadata"] = {}
        cell.pop("id")


def _without_first_lines(found: dict[str, Any]) -> None:
    _without_metadata_and_ids(found)
    for cell in found["cells"]:
        lines = "".join(cell["source"]).split("\n")
        keep = [line for line in lines if not line.startswith(("# EXERCISE", "# CHECK"))]
        cell["source"] = "\n".join(keep)


def _copied_cells(found: dict[str, Any]) -> None:
    stub = {"cell_type": "code", "source": "raise NotImplementedError()", "outputs": []}
    for cell in [c for c in found["cells"] if "nbgrader" in c["metadata"]]:
        found["cells"].insert(0, json.loads(json.dumps(cell)))
        if cell["metadata"]["nbgrader"]["solution"]:
            released = "# EXERCISE double: write your answer in this cell\n"
            found["cells"].insert(0, json.loads(json.dumps(cell | stub | {"source": released})))


def _newer_format(found: dict[str, Any]) -> None:
    found["nbformat"] = 5


def _carriage_returns(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r")


def _checks_above(found: dict[str, Any]) -> None:
    found["cells"].sort(key=lambda cell: "# CHECK" not in "".join(cell["source"]))


def _nothing_needed(found: dict[str, Any]) -> None:
    found["metadata"] = None
    del found["nbformat_minor"]
    for cell in found["cells"]:
        cell["metadata"] = cell["metadata"] or None
        for key in ("outputs", "execution_count"):
            cell.pop(key, None)


def _no_types(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        cell["cell_type"] = cell["cell_type"].upper()
        if "nbgrader" in cell["metadata"]:
            del cell["cell_type"]
        if "outputs" in cell:
            cell["input"] = cell.pop("source")


CHANGES: dict[Callable[[dict[str, Any]], None], str] = {
    _without_metadata_and_ids: "metadata had been changed",
    _without_first_lines: "metadata had been changed",
    _copied_cells: "cells of this name",
    _newer_format: "format 5, read as 4",
    _carriage_returns: "",
    _checks_above: "the check stood above its answer, put behind it",
    _nothing_needed: "",
    _no_types: "",
}
