"""What editors and accidents do to the JSON of a notebook, and the repair that each gets."""

import json
from collections.abc import Callable
from typing import Any


def _colab(found: dict[str, Any]) -> None:
    """As Colab saves what it has opened, run and shown sliders of."""
    found["nbformat_minor"] = 0
    found["metadata"] = {
        "colab": {"provenance": [], "toc_visible": True},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "accelerator": "GPU",
        "widgets": {"application/vnd.jupyter.widget-state+json": {"0a": {"state": {}}}},
    }
    for number, cell in enumerate(found["cells"]):
        cell["source"] = cell["source"] and "".join(cell["source"]).splitlines(keepends=True)
        del cell["id"]
        ran = {
            "status": "ok",
            "timestamp": 1,
            "user_tz": -60,
            "elapsed": 5,
            "user": {"userId": "1"},
        }
        made = {
            "id": f"Zk{number}q",
            "executionInfo": ran,
            "outputId": "x",
            "colab": {"height": 53},
        }
        cell["metadata"] |= made
        for output in cell.get("outputs", []):
            output["metadata"] = {"tags": []}


def _without_metadata(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        cell["metadata"] = {}


def _without_metadata_and_ids(found: dict[str, Any]) -> None:
    _without_metadata(found)
    for cell in found["cells"]:
        cell.pop("id")


def _without_first_lines(found: dict[str, Any]) -> None:
    _without_metadata_and_ids(found)
    for cell in found["cells"]:
        lines = "".join(cell["source"]).split("\n")
        keep = [line for line in lines if not line.startswith(("# EXERCISE", "# CHECK"))]
        cell["source"] = "\n".join(keep)


def _deleted_checks(found: dict[str, Any]) -> None:
    found["cells"] = [c for c in found["cells"] if "# CHECK" not in "".join(c["source"])]


def _edited_check(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        if "# CHECK" in "".join(cell["source"]):
            cell["source"] = "2.0"


def _changed_flags(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] |= {"points": 100, "locked": False, "schema_version": 1}


def _copied_cells(found: dict[str, Any]) -> None:
    stub = {"cell_type": "code", "source": "raise NotImplementedError()", "outputs": []}
    for cell in [c for c in found["cells"] if "nbgrader" in c["metadata"]]:
        found["cells"].insert(0, json.loads(json.dumps(cell)))
        if cell["metadata"]["nbgrader"]["solution"]:
            released = "# EXERCISE double: write your answer in this cell\n"
            found["cells"].insert(0, json.loads(json.dumps(cell | stub | {"source": released})))


def _invented_cell(found: dict[str, Any]) -> None:
    test = next(c for c in found["cells"] if c["metadata"].get("nbgrader", {}).get("points"))
    more = json.loads(json.dumps(test)) | {"source": "100.0", "id": "mine"}
    more["metadata"]["nbgrader"] |= {"grade_id": "mine-test", "points": 100}
    found["cells"].append(more)


def _another_kernel(found: dict[str, Any]) -> None:
    found["metadata"] = {"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}}


def _newer_format(found: dict[str, Any]) -> None:
    found["nbformat"] = 5


def _check_as_text(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        if "# CHECK" in "".join(cell["source"]):
            cell["cell_type"] = "markdown"
            for key in ("outputs", "execution_count"):
                cell.pop(key)


def _without_line_ends(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        cell["source"] = "".join(cell["source"]).splitlines()


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


def _one_id(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        cell["id"] = "same"


def _no_types(found: dict[str, Any]) -> None:
    for cell in found["cells"]:
        cell["cell_type"] = cell["cell_type"].upper()
        if "nbgrader" in cell["metadata"]:
            del cell["cell_type"]
        if "outputs" in cell:
            cell["input"] = cell.pop("source")


CHANGES: dict[Callable[[dict[str, Any]], None], str] = {
    _colab: "",
    _another_kernel: "",
    _without_metadata: "metadata had been changed",
    _without_metadata_and_ids: "metadata had been changed",
    _without_first_lines: "metadata had been changed",
    _deleted_checks: "the cell was missing",
    _edited_check: "the check had been edited",
    _changed_flags: "metadata had been changed",
    _copied_cells: "cells of this name",
    _invented_cell: "claims to be graded",
    _newer_format: "format 5, read as 4",
    _check_as_text: "was another kind of cell",
    _without_line_ends: "lines without line ends",
    _carriage_returns: "",
    _checks_above: "the check stood above its answer, put behind it",
    _nothing_needed: "",
    _one_id: "",
    _no_types: "",
}
