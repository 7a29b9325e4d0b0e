"""What learners' editors and accidents do to a notebook, and what becomes of it."""

import copy
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import nbformat
import pytest
from nbformat import NotebookNode

from helpers.course.authoring import build
from helpers.course.intake import repair
from helpers.course.settings import CourseError
from tests.common import LESSON, tiny_course

UNIT = "01-tiny"
SECOND = LESSON.split("\n\n", 1)[1].replace("double", "triple")


class Made(NamedTuple):
    """The release, and the same with right answers, as a learner saves it."""

    released: NotebookNode
    worked: NotebookNode


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    root = tmp_path_factory.mktemp("course")
    course = tiny_course(root)
    course.text(UNIT).write_text(LESSON + "\n" + SECOND)
    built = build.make(course, UNIT, root / "made")
    answers = {cell.id: cell.source for cell in built.solution.cells}
    worked = copy.deepcopy(built.released)
    for cell in worked.cells:
        if not cell.id.endswith("-test"):
            cell.source = answers[cell.id]
    return Made(built.released, worked)


def _repaired(content: bytes, release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    cells, repairs = repair.read(content)
    notebook, more = repair.restored(cells, release)
    nbformat.validate(notebook)
    return notebook, repairs + more


def _graded(notebook: NotebookNode) -> list[tuple[str, str]]:
    """Name and text of each cell that nbgrader reads, in order; without its first line."""
    return [
        (cell.metadata.nbgrader.grade_id, re.sub(r"^# EXERCISE .*\n", "", cell.source))
        for cell in notebook.cells
        if "nbgrader" in cell.metadata
    ]


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
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_a_changed_notebook_is_graded_as_it_was_meant(
    made: Made, change: Callable[[dict[str, Any]], None]
) -> None:
    found = json.loads(nbformat.writes(made.worked))
    change(found)
    notebook, repairs = _repaired(json.dumps(found).encode(), made.released)
    assert _graded(notebook) == _graded(made.worked)
    flags = {n.grade_id: n for c in notebook.cells if (n := c.metadata.get("nbgrader"))}
    released = {n.grade_id: n for c in made.released.cells if (n := c.metadata.get("nbgrader"))}
    assert flags == released
    assert notebook.metadata.kernelspec.name == "python3"
    assert CHANGES[change] in " ".join(repairs) if CHANGES[change] else not repairs


def test_another_release_with_other_texts_needs_no_repair(made: Made) -> None:
    older = copy.deepcopy(made.worked)
    older.cells[0].source = "# A tiny unit, of an older release"
    older.cells.pop()  # which had no link to the next unit
    notebook, repairs = _repaired(nbformat.writes(older).encode(), made.released)
    assert not repairs and _graded(notebook) == _graded(made.worked)


def test_an_untouched_notebook_needs_no_repair(made: Made) -> None:
    content = nbformat.writes(made.released).encode()
    notebook, repairs = _repaired(content, made.released)
    assert not repairs and _graded(notebook) == _graded(made.released)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_other_encodings_are_read(made: Made, encoding: str) -> None:
    text = nbformat.writes(made.worked)
    _, repairs = _repaired(text.encode(encoding), made.released)
    assert repairs == [f"saved as {encoding}"]


def test_an_old_format_is_converted(made: Made) -> None:
    old = nbformat.convert(nbformat.from_dict(made.worked), 3)
    notebook, repairs = _repaired(json.dumps(old).encode(), made.released)
    assert _graded(notebook) == _graded(made.worked)
    assert "an old notebook format, converted" in repairs


def test_of_a_broken_file_the_whole_cells_are_kept(made: Made) -> None:
    text = nbformat.writes(made.worked)
    cut = text[: text.index("# EXERCISE triple")]
    notebook, repairs = _repaired(cut.encode(), made.released)
    sources = dict(_graded(notebook))
    assert sources["double"] == dict(_graded(made.worked))["double"]
    assert sources["triple"] == dict(_graded(made.released))["triple"]
    assert "broken" in repairs[0] and "triple: the cell was missing" in " ".join(repairs)


def test_what_stands_behind_the_end_is_left_out(made: Made) -> None:
    content = (nbformat.writes(made.worked) + "\n}}}").encode()
    assert "left out" in _repaired(content, made.released)[1][0]


def test_extra_cells_and_their_order_are_kept(made: Made) -> None:
    found = json.loads(nbformat.writes(made.worked))
    found["cells"].insert(3, {"cell_type": "code", "source": ["import math\n", "math.pi"]})
    notebook, repairs = _repaired(json.dumps(found).encode(), made.released)
    assert notebook.cells[3].source == "import math\nmath.pi" and not repairs


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"PK\x03\x04", "archive"),
        (b"\xff\xfe\xff", "no text in UTF-8"),
        (b"{", "is no notebook"),
        (b"[" * 100_000, "is no notebook"),
        (b"[1, 2]", "other JSON"),
        (b'{"a": 1}', "no cells"),
        (b'{"nbformat": 3}', "old notebook"),
    ],
)
def test_what_cannot_be_graded_says_why(content: bytes, words: str) -> None:
    with pytest.raises(CourseError, match=words):
        repair.read(content)


def test_two_answers_in_one_cell_both_count(made: Made) -> None:
    found = json.loads(nbformat.writes(made.worked))
    answers = [c for c in found["cells"] if c["metadata"].get("nbgrader", {}).get("solution")]
    first, second = answers[:2]
    first["source"] = ["".join(first["source"]), "\n\n", "".join(second["source"])]
    found["cells"].remove(second)
    notebook, repairs = _repaired(json.dumps(found).encode(), made.released)
    by_name = {cell.id: cell.source for cell in notebook.cells}
    assert by_name[second["id"]].startswith("# EXERCISE") and "\n" not in by_name[second["id"]]
    assert "".join(second["source"]) in by_name[first["id"]]
    assert any("stands in another cell" in each for each in repairs)


def test_pictures_in_a_text_are_kept_and_nothing_else_that_is_attached() -> None:
    attached = {"a.png": {"image/png": "AAAA"}, "b": {"text/html": "<script>"}, "c": 5}
    cell = {"cell_type": "markdown", "source": "![a](attachment:a.png)", "attachments": attached}
    [read], _ = repair.read(json.dumps({"nbformat": 4, "cells": [cell]}).encode())
    assert read.attachments == {"a.png": {"image/png": "AAAA"}}


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([{}] * (repair.CELLS + 1), "2,001 cells; 2,000 are allowed"),
        ([{"source": "x" * (repair.TEXT // 2 + 1)}] * 2, "characters; 1,048,576 are allowed"),
        ([{"source": "a" + "\u0301\u0327" * 16}], "more than 30 accents"),
        ([{"source": "\u0f73" * 31}], "more than 30 accents"),
    ],
)
def test_no_notebook_is_larger_than_a_person_writes(
    cells: list[dict[str, str]], words: str
) -> None:
    with pytest.raises(CourseError, match=words):
        repair.read(json.dumps({"nbformat": 4, "cells": cells}).encode())


def test_letters_of_all_languages_are_read() -> None:
    source = "x = 'Việt क्षि ﷺ e\u0301\u0327 👩\u200d👩\u200d👧 ｶﾞ'"
    cells = {"nbformat": 4, "cells": [{"cell_type": "code", "source": source}]}
    assert repair.read(json.dumps(cells).encode())[0][0].source == source
