"""Files that are broken, old, saved by other editors, or changed to gain marks."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.course.grading.hostile.rows import ALL, BEFORE, FIRST, LAST, Row, built, solved, written

Found = dict[str, Any]
CONTROL = [
    ("copied-cells", "cells of this name", ALL),
    ("changed-flags", "metadata had been changed", ALL),
    ("metadata-that-is-none", "metadata had been changed", ALL),
    ("edited-tests", "the check had been edited", ALL),
    ("tests-as-text", "another kind of cell", ALL),
    ("invented-cell", "claims to be graded and is not", ALL),
    ("points-for-nothing", "metadata had been changed", 0.0),
    ("forged-outputs", "", 0.0),
    ("cells-that-are-none", "", ALL),
    ("the-same-id-everywhere", "", ALL),
    ("a-cell-of-no-type", "", ALL),
    ("tags-that-are-none", "", ALL),
    ("half-a-letter", "", ALL),
    ("blank-lines", "", ALL),
    ("blanks", "", ALL),
    ("script-as-text", "", ALL),
]


def _graded(found: Found) -> list[Found]:
    return [cell for cell in found["cells"] if "nbgrader" in cell["metadata"]]


def _tests(found: Found) -> list[Found]:
    return [cell for cell in _graded(found) if cell["metadata"]["nbgrader"]["grade"]]


def copied_cells(found: Found) -> None:
    found["cells"] += copy.deepcopy(_graded(found))


def changed_flags(found: Found) -> None:
    for cell in _graded(found):
        cell["metadata"]["nbgrader"] |= {"grade": True, "locked": False, "points": 1000}


def metadata_that_is_none(found: Found) -> None:
    for cell in found["cells"]:
        cell["metadata"] = None


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


def forged_outputs(found: Found) -> None:
    result = {"output_type": "execute_result", "data": {"text/plain": "2.0"}, "metadata": {}}
    for cell in _graded(found):
        if cell in _tests(found):
            cell["outputs"] = [result | {"execution_count": 1}]
        else:
            cell["source"] = ""


def cells_that_are_none(found: Found) -> None:
    found["cells"] = [None, 1, "x", [], *found["cells"], {}]


def the_same_id_everywhere(found: Found) -> None:
    for cell in found["cells"]:
        cell["id"] = FIRST


def a_cell_of_no_type(found: Found) -> None:
    found["cells"].insert(0, {"cell_type": ["code"], "source": {"a": 1}, "metadata": []})


def tags_that_are_none(found: Found) -> None:
    strange: list[Any] = [None, 5, "x", {}, [[]], [None]]
    for cell, tags in zip(found["cells"], strange, strict=False):
        cell["metadata"]["tags"] = tags


def half_a_letter(found: Found) -> None:
    found["cells"].insert(0, {"cell_type": "markdown", "source": "\ud800", "metadata": {}})
    found["cells"].insert(0, {"cell_type": "code", "source": "# \ud800", "metadata": {}})


def blank_lines(found: Found) -> None:
    _longer(found, "(\n" + "\n" * 900_000 + ")(")


def blanks(found: Found) -> None:
    _longer(found, "%x" + " " * 900_000 + " y")


def accents(found: Found) -> None:
    _longer(found, "a" + "\u0301\u0327" * 100_000)


def script_as_text(found: Found) -> None:
    text = "<script>alert('mine')</script><img src=x onerror=alert('mine')>"
    found["cells"].insert(0, {"cell_type": "markdown", "source": text, "metadata": {}})


def _longer(found: Found, source: str) -> None:
    found["cells"].append({"cell_type": "code", "source": source, "metadata": {}})


def _changed(change: Callable[[Found], None]) -> bytes:
    found = json.loads(written(solved()))
    change(found)
    return json.dumps(found).encode()


def _broken_off() -> bytes:
    whole = written(solved())
    return whole[: whole.index(f"# EXERCISE {LAST}".encode())]


def _of(content: bytes) -> Callable[[], bytes]:
    return lambda: content


ROWS = [
    *(
        Row(name, partial(_changed, globals()[name.replace("-", "_")]), marks, told)
        for name, told, marks in CONTROL
    ),
    Row("broken-off", _broken_off, BEFORE, "the file is broken"),
    Row("empty", _of(b""), 0, "the file is empty"),
    Row("no-json", _of(b"{"), 0, "is no notebook"),
    Row("other-json", _of(b"[1, 2]"), 0, "other JSON"),
    Row("no-cells", _of(b'{"nbformat": 4, "cells": 3}'), 0, "no cells"),
    Row("deep-json", _of(b'{"cells": ' + b"[" * 100_000), 0, "is no notebook"),
    Row("an-archive", _of(b"PK\x03\x04"), 0, "archive"),
    Row("no-text", _of(b"\xff\xfe\xff\x00\xd8"), 0, "the file is no notebook"),
    Row("60-MB", lambda: b'{"cells": ["' + b"x" * (60 << 20) + b'"]}', 0, "50 are allowed"),
    Row("two-million-cells", _of(b'{"cells": [' + b"{}," * 2_000_000 + b"{}]}"), 0, "2,000 are"),
    Row("accents", partial(_changed, accents), 0, "than 30 accents"),
    Row("blank", lambda: written(built().released), 0),
]
