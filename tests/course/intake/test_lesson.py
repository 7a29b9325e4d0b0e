"""Which cells of a lesson are run where a class is graded."""

import pytest
from nbformat import v4

from helpers.course.intake import lesson

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


def test_what_is_no_python_or_too_long_defines_nothing() -> None:
    for source in ("%%bash\nls", f"def f(): return {'+'.join('1' * 9_000)}", "x = 1\n" * 9_000):
        assert lesson.definitions(source) == ""


def test_nothing_that_a_learner_wrote_is_kept() -> None:
    lesson._names.cache_clear()
    mine = v4.new_notebook(cells=[v4.new_code_cell("words " * 9_000)])
    lesson.mark(mine, v4.new_notebook())
    assert lesson._names.cache_info().currsize == 0
