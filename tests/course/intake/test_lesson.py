"""Which cells of a lesson are run where a class is graded."""

import pytest
from nbformat import v4

from helpers.course.intake import lesson

CODE = "import math\nlosses = train()\ndef half(x): return x / 2"


@pytest.mark.parametrize("tag", ["training", "figure", "shown"])
def test_a_cell_with_a_tag_of_its_author_only_defines(tag: str) -> None:
    release = v4.new_notebook(cells=[v4.new_code_cell(CODE, metadata={"tags": [tag]})])
    mine = v4.new_notebook(cells=[v4.new_code_cell(f"{CODE}\n")])  # some editors drop the tags
    lesson.mark(mine, release)
    assert lesson.to_run(mine.cells[0]).split("\n") == [
        "import math",
        "def half(x):",
        "    return x / 2",
    ]
    assert lesson.is_unchanged(mine.cells[0])


def test_a_cell_that_was_changed_or_has_no_such_tag_is_run() -> None:
    tags = [{"tags": ["training"]}, {"tags": ["nbval-check-output"]}]
    release = v4.new_notebook(cells=[v4.new_code_cell(CODE + f"#{t}", metadata=t) for t in tags])
    changed = v4.new_code_cell(CODE + "\nsteps = 9", metadata=tags[0])
    mine = v4.new_notebook(cells=[changed, v4.new_code_cell(release.cells[1].source)])
    lesson.mark(mine, release)
    assert [lesson.to_run(each) for each in mine.cells] == [each.source for each in mine.cells]
    assert [lesson.is_unchanged(each) for each in mine.cells] == [False, True]


def test_what_is_no_python_defines_nothing() -> None:
    assert lesson.definitions("%%bash\nls") == ""


@pytest.mark.parametrize("mine", ["print(losses)", "def f(): return losses", "%time losses"])
def test_a_cell_whose_names_a_learner_uses_is_run(mine: str) -> None:
    cell = v4.new_code_cell(CODE, metadata={"tags": ["training"]})
    other = v4.new_code_cell("steps = 3", metadata={"tags": ["figure"]})
    release = v4.new_notebook(cells=[cell, other])
    notebook = v4.new_notebook(cells=[cell.copy(), other.copy(), v4.new_code_cell(mine)])
    lesson.mark(notebook, release)
    assert [lesson.to_run(each) for each in notebook.cells] == [CODE, "", mine]


@pytest.mark.parametrize("mine", ["def f(losses):\n    return losses", "losses = 3", "x.losses"])
def test_a_name_of_ones_own_runs_nothing(mine: str) -> None:
    cell = v4.new_code_cell(CODE, metadata={"tags": ["training"]})
    notebook = v4.new_notebook(cells=[cell.copy(), v4.new_code_cell(mine)])
    lesson.mark(notebook, v4.new_notebook(cells=[cell]))
    assert "losses" not in lesson.to_run(notebook.cells[0])


def test_a_long_or_deep_cell_defines_nothing_and_stops_nobody() -> None:
    assert lesson.definitions(f"def f(): return {'+'.join('1' * 9_000)}") == ""
    assert lesson.definitions("x = 1\n" * 9_000) == ""
