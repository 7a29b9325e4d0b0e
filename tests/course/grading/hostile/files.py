"""Files that are broken, old, saved by other editors, or changed to gain marks."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.course.grading.hostile.rows import ALL, BEFORE, LAST, Row, built, solved, written

Found = dict[str, Any]
STRANGE: tuple[Any, ...] = (None, 5, "x", {}, [[]], [None])


def _graded(found: Found) -> list[Found]:
    return [cell for cell in found["cells"] if "nbgrader" in cell["metadata"]]


def _tests(found: Found) -> list[Found]:
    return [cell for cell in _graded(found) if cell["metadata"]["nbgrader"]["grade"]]


def edited_tests(found: Found) -> None:
    for cell in _tests(found):
        cell["source"] = "100.0"


def tests_as_text(found: Found) -> None:
    for cell in _tests(found):
        cell["cell_type"] = "markdown"


def invented_cell(found: Found) -> None:
    more = copy.deepcopy(_tests(found)[0])
    more["metadata"]["nbgrader"] |= {"grade_id": "mine-test", "points": 1000}
    found["cells"].append(more | {"source": "1000.0", "id": "mine"})


def points_for_nothing(found: Found) -> None:
    for cell in _graded(found):
        is_test = cell["metadata"]["nbgrader"]["grade"]
        cell["source"] = "1000.0" if is_test else ""
        cell["metadata"]["nbgrader"] |= {"grade": True, "points": 1000, "locked": False}


def strange_forms(found: Found) -> None:
    for cell, tags in zip(found["cells"], STRANGE, strict=False):
        cell["metadata"]["tags"] = tags
    found["cells"][-1]["metadata"] = None
    found["cells"][:0] = [{"cell_type": ["code"], "source": {"a": 1}, "metadata": []}]
    found["cells"] += [*STRANGE, {"cell_type": "code", "source": "# \ud800", "metadata": {}}]


def blank_lines(found: Found) -> None:
    source = "(\n" + "\n" * 900_000 + ")("
    found["cells"].append({"cell_type": "code", "source": source, "metadata": {}})


def forged_outputs(found: Found) -> None:
    result = {"output_type": "execute_result", "data": {"text/plain": "2.0"}, "metadata": {}}
    for cell in _graded(found):
        if cell in _tests(found):
            cell["outputs"] = [result | {"execution_count": 1}]
        else:
            cell["source"] = ""


def script_as_text(found: Found) -> None:
    text = "<script>alert('mine')</script><img src=x onerror=alert('mine')>"
    found["cells"].insert(0, {"cell_type": "markdown", "source": text, "metadata": {}})


def _changed(change: Callable[[Found], None]) -> bytes:
    found = json.loads(written(solved()))
    change(found)
    return json.dumps(found).encode()


def _broken_off() -> bytes:
    whole = written(solved())
    return whole[: whole.index(f"# EXERCISE {LAST}".encode())]


CONTROL = {
    edited_tests: ("the check had been edited", ALL),
    tests_as_text: ("another kind of cell", ALL),
    invented_cell: ("claims to be graded and is not", ALL),
    points_for_nothing: ("metadata had been changed", 0.0),
    forged_outputs: ("", 0.0),
    strange_forms: ("", ALL),
    blank_lines: ("", ALL),
    script_as_text: ("", ALL),
}
ROWS = [
    *(
        Row(change.__name__.replace("_", "-"), partial(_changed, change), marks, told)
        for change, (told, marks) in CONTROL.items()
    ),
    Row("broken-off", _broken_off, BEFORE, "the file is broken"),
    Row("deep-json", lambda: b'{"cells": ' + b"[" * 100_000, 0, "is no notebook"),
    Row("60-MB", lambda: b'{"cells": ["' + b"x" * (60 << 20) + b'"]}', 0, "50 are allowed"),
    Row("blank", lambda: written(built().released), 0),
]
