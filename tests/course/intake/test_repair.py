"""What learners' editors and accidents do to a notebook, and what becomes of it."""

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode

from helpers.course.authoring import build
from helpers.course.authoring.build import Built
from helpers.course.intake import notebook_file, repair
from tests.common import tiny_course
from tests.course.intake.changes import CHANGES
from tests.course.judged import TWO, UNIT


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A unit of two exercises, whose solution is what a learner may save; nobody changes it."""
    course = tiny_course(tmp_path_factory.mktemp("course"))
    course.text(UNIT).write_text(TWO)
    return build.make(course, UNIT, course.root / "made")


def repaired(content: bytes, release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Read and restore what was handed in; return it, and the repairs."""
    cells, repairs = notebook_file.read(content)
    notebook, more = repair.restored(cells, release)
    nbformat.validate(notebook)
    return notebook, repairs + more


def graded(notebook: NotebookNode) -> list[tuple[str, str]]:
    """Name and text of each cell that nbgrader reads, in order; without its first line."""
    return [
        (cell.metadata.nbgrader.grade_id, re.sub(r"^# EXERCISE .*\n", "", cell.source))
        for cell in notebook.cells
        if "nbgrader" in cell.metadata
    ]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_a_changed_notebook_is_graded_as_it_was_meant(
    made: Built, change: Callable[[dict[str, Any]], None]
) -> None:
    found = json.loads(nbformat.writes(made.solution))
    change(found)
    notebook, repairs = repaired(json.dumps(found).encode(), made.released)
    assert graded(notebook) == graded(made.solution)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    flags = {n.grade_id: n for c in notebook.cells if (n := c.metadata.get("nbgrader"))}
    released = {n.grade_id: n for c in made.released.cells if (n := c.metadata.get("nbgrader"))}
    assert flags == released and flags.keys() <= {cell.id for cell in notebook.cells}
    assert notebook.metadata.kernelspec.name == "python3"
    assert CHANGES[change] in " ".join(repairs) if CHANGES[change] else not repairs


def test_a_mark_of_the_encoding_and_line_ends_of_windows_are_no_repair(made: Built) -> None:
    text = nbformat.writes(made.solution).replace(r"\n", r"\r\n").replace("\n", "\r\n")
    notebook, repairs = repaired(text.encode("utf-8-sig"), made.released)
    assert not repairs and graded(notebook) == graded(made.solution)


@pytest.mark.parametrize("how", ["named", "only with first lines"])
@pytest.mark.parametrize("behind", [True, False])
def test_of_a_notebook_that_was_doubled_the_answers_count(
    made: Built, how: str, behind: bool
) -> None:
    found = json.loads(nbformat.writes(made.solution))
    again = json.loads(nbformat.writes(made.released))["cells"]
    for number, cell in enumerate(again):
        cell |= {"id": f"again{number}", "metadata": cell["metadata"] if how == "named" else {}}
    found["cells"] = found["cells"] + again if behind else again + found["cells"]
    place = 1 + next(n for n, c in enumerate(found["cells"]) if "2 * x" in "".join(c["source"]))
    notebook, repairs = repaired(json.dumps(found).encode(), made.released)
    assert graded(notebook) == graded(made.solution)
    told = f"double: 2 cells of this name; the last with an answer counts (cell {place})"
    assert told in repairs and "of checks that stand there more than once, one counts" in repairs


def test_of_several_answers_the_last_counts_and_its_check_stands_behind_it(made: Built) -> None:
    newer = copy.deepcopy(made.solution)
    for number, cell in enumerate(newer.cells):
        cell.id, cell.source = f"newer{number}", cell.source.replace("2 * x", "x + x")
    newer.cells[:0] = made.solution.cells
    notebook, _ = repaired(nbformat.writes(newer).encode(), made.released)
    assert "x + x" in dict(graded(notebook))["double"]
    assert [name for name, _ in graded(notebook)] == [name for name, _ in graded(made.solution)]


def test_another_release_and_cells_of_ones_own_need_no_repair(made: Built) -> None:
    older = copy.deepcopy(made.solution)
    older.cells[0].source = "# A tiny unit, of an older release"
    older.cells[-1:] = []  # which had no link to the next unit
    for cell in older.cells:  # which gave fewer points
        if "points" in cell.metadata.get("nbgrader", {}):
            cell.metadata.nbgrader |= {"points": 1, "checksum": "another"}
    older.cells.insert(3, nbformat.v4.new_code_cell("import math\nmath.pi"))
    notebook, repairs = repaired(nbformat.writes(older).encode(), made.released)
    assert not repairs and graded(notebook) == graded(made.solution)
    assert notebook.cells[3].source == "import math\nmath.pi"


def test_two_answers_in_one_cell_both_count(made: Built) -> None:
    found = json.loads(nbformat.writes(made.solution))
    answers = [c for c in found["cells"] if c["metadata"].get("nbgrader", {}).get("solution")]
    first, second = answers[:2]
    first["source"] = ["".join(first["source"]), "\n\n", "".join(second["source"])]
    found["cells"].remove(second)
    notebook, repairs = repaired(json.dumps(found).encode(), made.released)
    by_name = {cell.id: cell.source for cell in notebook.cells}
    assert by_name[second["id"]].startswith("# EXERCISE") and "\n" not in by_name[second["id"]]
    assert "".join(second["source"]) in by_name[first["id"]]
    assert any("stands in another cell" in each for each in repairs)


def test_copies_of_a_checks_cell_are_plain_cells_and_kept(made: Built) -> None:
    found = json.loads(nbformat.writes(made.solution))
    [check] = [cell for cell in found["cells"] if cell["id"] == "double-test"]
    helper = copy.deepcopy(check) | {"source": "def mine(x):\n    return 2 * x", "id": "copy"}
    invented = copy.deepcopy(check) | {"source": "1000.0", "id": "invented"}
    invented["metadata"]["nbgrader"]["grade_id"] = "mine-test"
    found["cells"][:0] = [helper, invented]
    notebook, repairs = repaired(json.dumps(found).encode(), made.released)
    assert notebook.cells[0].source == helper["source"]
    assert "a graded cell that this release has not, made a plain one" in repairs
    assert graded(notebook) == graded(made.solution)


OWN = "Attention alone makes all tokens alike."


@pytest.mark.parametrize("how", ["below", "above", "the stub deleted", "raw"])
def test_an_essay_beside_its_cell_counts(how: str) -> None:
    nbgrader = {"grade_id": "why", "grade": True, "solution": True, "locked": False, "points": 4}
    given = nbformat.v4.new_markdown_cell("### Exercise: why?")
    stub = nbformat.v4.new_markdown_cell("YOUR ANSWER HERE", metadata={"nbgrader": nbgrader})
    release = nbformat.v4.new_notebook(cells=[given, stub])
    make = nbformat.v4.new_raw_cell if how == "raw" else nbformat.v4.new_markdown_cell
    cells = [*copy.deepcopy(release.cells), make(OWN)]
    if how == "above":
        cells[1:] = reversed(cells[1:])
    if how == "the stub deleted":
        del cells[1]
    notebook, repairs = repaired(
        nbformat.writes(nbformat.v4.new_notebook(cells=cells)).encode(), release
    )
    assert graded(notebook) == [("why", OWN)]
    assert "why: the answer stood in another cell, copied into its own" in repairs
    again, none = repaired(nbformat.writes(notebook).encode(), release)
    assert graded(again) == [("why", OWN)] and not none  # one that is written stays as it is
