"""Files that are broken, old, saved by other editors, or changed to gain marks."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import nbformat

from tests.course.grading.hostile.rows import POINTS, TINY, Row, built, changed, worked, written

Found = dict[str, Any]
ALL = POINTS[TINY]
CONTROL = [
    ("copied-cells", "cells of this name", ALL),
    ("no-schema-version", "metadata had been changed", ALL),
    ("old-schema-version", "metadata had been changed", ALL),
    ("changed-flags", "metadata had been changed", ALL),
    ("stripped-metadata", "metadata had been changed", ALL),
    ("metadata-that-is-none", "metadata had been changed", ALL),
    ("deleted-tests", "the cell was missing, put back", ALL),
    ("edited-tests", "the check had been edited", ALL),
    ("tests-as-text", "another kind of cell", ALL),
    ("deleted-answer", "triple: the cell was missing", 3.0),
    ("invented-cell", "claims to be graded and is not", ALL),
    ("points-for-nothing", "metadata had been changed", 0.0),
    ("forged-outputs", "", 0.0),
    ("format-5", "format 5, read as 4", ALL),
    ("colab", "", ALL),
    ("kaggle", "", ALL),
    ("vs-code", "", ALL),
    ("another-language", "", ALL),
    ("cells-that-are-none", "", ALL),
    ("the-same-id-everywhere", "", ALL),
    ("a-cell-of-no-type", "", ALL),
    ("script-in-its-text", "", ALL),
    ("tests-as-training", "its tags had been changed", 0.0),
    ("tags-that-are-none", "", ALL),
    ("half-a-letter", "", ALL),
    ("half-a-letter-shown", "", ALL),
    ("blank-lines", "", ALL),
    ("blanks", "", ALL),
]


def _graded(found: Found) -> list[Found]:
    return [cell for cell in found["cells"] if "nbgrader" in cell["metadata"]]


def _tests(found: Found) -> list[Found]:
    return [cell for cell in _graded(found) if cell["metadata"]["nbgrader"]["grade"]]


def copied_cells(found: Found) -> None:
    found["cells"] += copy.deepcopy(_graded(found))


def no_schema_version(found: Found) -> None:
    for cell in _graded(found):
        del cell["metadata"]["nbgrader"]["schema_version"]


def old_schema_version(found: Found) -> None:
    for cell in _graded(found):
        cell["metadata"]["nbgrader"]["schema_version"] = 1


def changed_flags(found: Found) -> None:
    for cell in _graded(found):
        cell["metadata"]["nbgrader"] |= {"grade": True, "locked": False, "points": 1000}


def stripped_metadata(found: Found) -> None:
    for cell in found["cells"]:
        cell["metadata"] = {}


def metadata_that_is_none(found: Found) -> None:
    for cell in found["cells"]:
        cell["metadata"] = None


def deleted_tests(found: Found) -> None:
    tests = _tests(found)
    found["cells"] = [cell for cell in found["cells"] if cell not in tests]


def edited_tests(found: Found) -> None:
    for cell in _tests(found):
        cell["source"] = "100.0"


def tests_as_text(found: Found) -> None:
    for cell in _tests(found):
        cell["cell_type"] = "markdown"


def deleted_answer(found: Found) -> None:
    found["cells"] = [cell for cell in found["cells"] if cell["id"] != "triple"]


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


def format_5(found: Found) -> None:
    found["nbformat"] = 5


def colab(found: Found) -> None:
    found["nbformat_minor"] = 0
    found["metadata"]["colab"] = {"provenance": []}
    for cell in found["cells"]:
        cell["metadata"] |= {"id": cell.pop("id"), "colab": {"base_uri": "https://localhost"}}


def kaggle(found: Found) -> None:
    found["nbformat_minor"] = 4
    found["metadata"]["kaggle"] = {"accelerator": "none", "dataSources": []}
    for cell in found["cells"]:
        cell.pop("id")
        cell["metadata"] |= {"_uuid": "8f2839f25d086af736a60e9eeb907d3b93b6e0e5", "trusted": True}


def vs_code(found: Found) -> None:
    found["metadata"]["vscode"] = {"interpreter": {"hash": "0"}}
    for cell in found["cells"]:
        cell["metadata"] |= {"vscode": {"languageId": "python"}, "notebookRunGroups": {}}
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")


def another_language(found: Found) -> None:
    found["metadata"] = {"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}}


def cells_that_are_none(found: Found) -> None:
    found["cells"] = [None, 1, "x", [], *found["cells"], {}]


def the_same_id_everywhere(found: Found) -> None:
    for cell in found["cells"]:
        cell["id"] = "double"


def a_cell_of_no_type(found: Found) -> None:
    found["cells"].insert(0, {"cell_type": ["code"], "source": {"a": 1}, "metadata": []})


def script_in_its_text(found: Found) -> None:
    text = "<script>alert('mine')</script><img src=x onerror=alert('mine')>"
    shown = f"display({{'text/html': {text!r}, 'application/javascript': 'mine()'}}, raw=True)"
    found["cells"].insert(0, {"cell_type": "markdown", "source": text, "metadata": {}})
    found["cells"].insert(0, {"cell_type": "code", "source": shown, "metadata": {}})


def tests_as_training(found: Found) -> None:
    for cell in _graded(found):
        if cell in _tests(found):
            cell["metadata"]["tags"] = ["training"]
        else:
            cell["source"] = ""


def tags_that_are_none(found: Found) -> None:
    strange: list[Any] = [None, 5, "x", {}, [[]], [None]]
    for cell, tags in zip(found["cells"], strange, strict=False):
        cell["metadata"]["tags"] = tags


def half_a_letter(found: Found) -> None:
    found["cells"].insert(0, {"cell_type": "markdown", "source": "\ud800", "metadata": {}})
    found["cells"].insert(0, {"cell_type": "code", "source": "# \ud800", "metadata": {}})


def half_a_letter_shown(found: Found) -> None:
    code = r"print('\ud800'); display('\udcff'); '\udfff'"
    found["cells"].insert(0, {"cell_type": "code", "source": code, "metadata": {}})


def blank_lines(found: Found) -> None:
    _longer(found, "(\n" + "\n" * 900_000 + ")(")


def blanks(found: Found) -> None:
    _longer(found, "%x" + " " * 900_000 + " y")


def _longer(found: Found, source: str) -> None:
    found["cells"].append({"cell_type": "code", "source": source, "metadata": {}})


def _changed(change: Callable[[Found], None]) -> bytes:
    found = json.loads(written(worked(TINY)))
    change(found)
    return json.dumps(found).encode()


def _format_3() -> bytes:
    return json.dumps(nbformat.convert(worked(TINY), 3)).encode()


def _broken_off() -> bytes:
    whole = written(worked(TINY))
    return whole[: whole.index(b"# EXERCISE triple")]


def _of(content: bytes) -> Callable[[], bytes]:
    return lambda: content


ROWS = [
    *(
        Row(name, partial(_changed, globals()[name.replace("-", "_")]), marks, told)
        for name, told, marks in CONTROL
    ),
    Row("format-3", _format_3, ALL, "an old notebook format, converted"),
    Row("broken-off", _broken_off, 2, "the file is broken"),
    Row("in-utf-16", lambda: written(worked(TINY)).decode().encode("utf-16"), ALL, "utf-16"),
    Row("empty", _of(b""), 0, "the file is empty"),
    Row("no-json", _of(b"{"), 0, "is no notebook"),
    Row("other-json", _of(b"[1, 2]"), 0, "other JSON"),
    Row("no-cells", _of(b'{"nbformat": 4, "cells": 3}'), 0, "no cells"),
    Row("deep-json", _of(b'{"cells": ' + b"[" * 100_000), 0, "is no notebook"),
    Row("an-archive", _of(b"PK\x03\x04"), 0, "archive"),
    Row("no-text", _of(b"\xff\xfe\xff\x00\xd8"), 0, "no text in UTF-8"),
    Row("60-MB", lambda: b'{"cells": ["' + b"x" * (60 << 20) + b'"]}', 0, "50 are allowed"),
    Row("two-million-cells", _of(b'{"cells": [' + b"{}," * 2_000_000 + b"{}]}"), 0, "2,000 are"),
    Row("accents", partial(changed, triple="a" + "\u0301\u0327" * 100_000), 0, "than 30 accents"),
    Row("blank", lambda: written(built(TINY).released), 0),
]
