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


def _tests(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in found["cells"] if "# CHECK" in "".join(each["source"])]


def _edited_tests(found: dict[str, Any]) -> None:
    for cell in _tests(found):
        cell["source"] = "100.0"


def _tests_as_text_with_other_points(found: dict[str, Any]) -> None:
    for cell in _tests(found):
        cell["cell_type"] = "markdown"
        cell["metadata"]["nbgrader"] |= {"points": 1000, "locked": False}


def _forged_outputs(found: dict[str, Any]) -> None:
    result = {"output_type": "execute_result", "data": {"text/plain": "2.0"}, "metadata": {}}
    for cell in _tests(found):
        cell["outputs"] = [result | {"execution_count": 1}]


def _saved_by_colab(found: dict[str, Any]) -> None:
    """Write metadata and outputs as Colab does, with each cell's id among them."""
    found["metadata"] |= {"kernelspec": {}, "colab": {"provenance": []}}
    for cell in found["cells"]:
        cell["metadata"] = {"id": cell.pop("id"), "colab": {"base_uri": "https://localhost/"}}
        if cell["cell_type"] == "code":
            kind = "application/vnd.google.colaboratory.intrinsic+json"
            shown = {"output_type": "execute_result", "execution_count": 3, "metadata": {}}
            cell["outputs"] = [shown | {"data": {kind: {"type": "string"}, "text/plain": "'3'"}}]


def _same_id_everywhere(found: dict[str, Any]) -> None:
    """As VS Code wrote for a while."""
    for cell in found["cells"]:
        cell["id"] = "1"


def _without_line_ends(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        cell["source"] = "".join(cell["source"]).splitlines()


def _without_checks(found: dict[str, Any]) -> None:
    found["cells"] = [cell for cell in found["cells"] if cell not in _tests(found)]


def _answer_made_raw(found: dict[str, Any]) -> None:
    """As a key does that is pressed by accident."""
    answer = next(c for c in found["cells"] if c["metadata"].get("nbgrader", {}).get("solution"))
    answer["cell_type"] = "raw"
    del answer["outputs"], answer["execution_count"]


def _strange_forms(found: dict[str, Any]) -> None:
    strange: tuple[Any, ...] = (None, 5, "x", {}, [[]], [None])
    for cell, tags in zip(found["cells"], strange, strict=False):
        cell["metadata"]["tags"] = tags
    found["cells"][:0] = [{"cell_type": ["code"], "source": {"a": 1}, "metadata": []}]
    found["cells"] += [*strange, {"cell_type": "code", "source": "# \ud800", "metadata": {}}]


CHANGES: dict[Callable[[dict[str, Any]], None], str] = {
    _without_metadata_and_ids: "",
    _without_first_lines: "the cell was missing, put back",
    _copied_cells: "cells of this name",
    _carriage_returns: "",
    _checks_above: "the check stood above its answer, put behind it",
    _nothing_needed: "",
    _edited_tests: "the check was another than this release's",
    _tests_as_text_with_other_points: "another kind of cell",
    _forged_outputs: "",
    _saved_by_colab: "",
    _same_id_everywhere: "",
    _without_line_ends: "line ends",
    _without_checks: "the cell was missing, put back",
    _answer_made_raw: "another kind of cell",
    _strange_forms: "",
}
