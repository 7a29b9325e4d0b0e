"""Which cells of a lesson are run where a class is graded."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import v4

from helpers.course.intake import lesson
from helpers.course.pages.sanitize import sanitize

CODE = "import math\nlosses = train()\ndef half(x): return x / 2"
DEFINED = "import math\ndef half(x):\n    return x / 2"


@pytest.mark.parametrize(
    ("tag", "own", "left"),
    [
        ("training", "", DEFINED),
        ("shown", "", DEFINED),
        ("nbval-check-output", "", CODE),
        # Where a learner uses a name that the cell assigns, all of it is run.
        ("training", "print(losses)", CODE),
        ("training", "%time losses", CODE),
        ("training", "def f(losses):\n    return losses", DEFINED),
        ("training", "x.losses", DEFINED),
    ],
)
def test_a_cell_with_a_tag_of_its_author_only_defines(tag: str, own: str, left: str) -> None:
    cell = v4.new_code_cell(CODE, metadata={"tags": [tag]})
    changed = CODE + "\nsteps = 9"
    mine = map(v4.new_code_cell, [f"{CODE}\n", own, changed])  # some editors drop the tags
    lesson.mark(notebook := v4.new_notebook(cells=[*mine]), v4.new_notebook(cells=[cell]))
    assert lesson.to_run(notebook.cells[0]).strip() == left
    assert lesson.to_run(notebook.cells[2]) == changed
    assert [lesson.UNCHANGED in each.metadata for each in notebook.cells] == [True, False, False]


def test_stock_nbgrader_skips_what_only_trains_or_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson_cells = {
        "print('trains')": ["training"],
        "import math\nprint('imports')": ["training"],
        "x = 1": ["training"],
        "print('explains')": [],
    }
    cells = [v4.new_code_cell(code, metadata={"tags": tags}) for code, tags in lesson_cells.items()]
    released = tmp_path / "notebooks" / "01" / "01.ipynb"
    released.parent.mkdir(parents=True)
    nbformat.write(v4.new_notebook(cells=cells), released)
    monkeypatch.chdir(tmp_path)
    notebook = nbformat.read(released, as_version=4)
    notebook.cells.append(v4.new_code_cell("print(x)"))
    lesson.skip(notebook, {"nbgrader": {"assignment": "01"}})
    NotebookClient(notebook, timeout=60).execute()
    shown = ["".join(each.text for each in cell.outputs) for cell in notebook.cells]
    assert shown == ["", "imports\n", "", "explains\n", "1\n"]
    # Cells that run may need what was skipped: what they say of that is no answer's.
    kept, _ = sanitize(notebook, {})
    assert [len(cell.outputs) for cell in kept.cells] == [0, 0, 0, 0, 1]


def test_what_is_no_python_or_too_long_defines_nothing() -> None:
    for source in ("%%bash\nls", f"def f(): return {'+'.join('1' * 9_000)}", "x = 1\n" * 9_000):
        assert lesson.definitions(source) == ""


def test_nothing_that_a_learner_wrote_is_kept() -> None:
    lesson._names.cache_clear()
    mine = v4.new_notebook(cells=[v4.new_code_cell("words " * 9_000)])
    lesson.mark(mine, v4.new_notebook())
    assert lesson._names.cache_info().currsize == 0
