"""A learner's own copies: made once, never overwritten, renewed without losing a line."""

import copy
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode, v4

from helpers.course import work
from helpers.course.authoring import build
from helpers.course.authoring import notebook as notebooks
from helpers.course.cli import main
from helpers.course.settings import Course, CourseError
from tests.common import ESSAY, LESSON

UNIT = "01-tiny"
PLACE = f"{UNIT}/{UNIT}.ipynb"
GIVEN = "\n# %%\nsteps = 100\n\n# %%\nrate = 0.1\n\n# %% [markdown]\n# An old text.\n"
OLD = LESSON + GIVEN + ESSAY
NEW = (
    OLD.replace("rate = 0.1", "rate = 0.2")
    .replace("An old text.", "A new text.")
    .replace("assert double(2) == 4", "assert double(3) == 6")
    .replace('"""Twice x."""', '"""Twice x, for whole numbers."""')
)
ANSWER = "def double(x):\n    return x + x"


def _release(tiny: Course, text: str) -> None:
    tiny.text(UNIT).write_text(text)
    shutil.rmtree(tiny.notebooks, ignore_errors=True)
    build.build(tiny, [UNIT], execute=False)


def _sources(notebook: NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells]


def _cell(notebook: NotebookNode, text: str) -> NotebookNode:
    [found] = [cell for cell in notebook.cells if text in cell.source]
    return found


@pytest.fixture
def begun(tiny: Course) -> NotebookNode:
    """A learner's copy of the old release, as it was handed out."""
    with pytest.raises(CourseError, match="course build"):
        work.begin(tiny)
    _release(tiny, OLD)
    assert work.begin(tiny) == [UNIT]
    return nbformat.read(tiny.work / PLACE, as_version=4)


def _renewed(tiny: Course, mine: NotebookNode) -> tuple[NotebookNode, list[str]]:
    nbformat.write(mine, tiny.work / PLACE)
    _release(tiny, NEW)
    assert work.outdated(tiny) == [UNIT]
    *told, kept = work.renew(tiny, UNIT)
    backup = Path(kept.removeprefix("as it was before: "))
    assert nbformat.read(backup, as_version=4) == mine
    notebook = nbformat.read(tiny.work / PLACE, as_version=4)
    nbformat.validate(notebook)
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    return notebook, told


def test_a_file_that_is_there_is_never_touched(tiny: Course, begun: NotebookNode) -> None:
    assert _sources(begun) == _sources(nbformat.read(tiny.notebooks / UNIT / f"{UNIT}.ipynb", 4))
    assert (tiny.work / "docs" / "glossary.md").read_text() == f"[01](../{PLACE})"
    (tiny.work / PLACE).write_text("whatever a learner has put here")
    assert work.begin(tiny) == []
    assert (tiny.work / PLACE).read_text() == "whatever a learner has put here"
    (tiny.work / PLACE).unlink()  # to begin again
    assert work.begin(tiny) == [UNIT]


def test_all_that_a_learner_wrote_is_kept(tiny: Course, begun: NotebookNode) -> None:
    _cell(begun, "# EXERCISE double").source = ANSWER  # its first line deleted
    picture = {"a.png": {"image/png": "AAAA"}}
    _cell(begun, "*Your answer here.*").update(source="It is so.", attachments=picture)
    _cell(begun, "steps = 100").update(source="steps = 3000", execution_count=4)
    _cell(begun, "rate = 0.1").source = "rate = 0.7"
    begun.cells.insert(3, v4.new_code_cell("1 + 1", outputs=[v4.new_output("stream", text="2")]))
    begun.cells.append(v4.new_markdown_cell("My summary."))

    notebook, told = _renewed(tiny, copy.deepcopy(begun))
    sources = _sources(notebook)
    assert sources[3] == "1 + 1" and notebook.cells[3].outputs[0].text == "2"
    assert sources[-1] == "My summary."
    assert _cell(notebook, "x + x").metadata.nbgrader.grade_id == "double"
    assert _cell(notebook, "It is so.").metadata.nbgrader.points == 4
    assert _cell(notebook, "It is so.").attachments == picture
    assert _cell(notebook, "steps").source == "steps = 3000"
    assert _cell(notebook, "steps").execution_count == 4
    # The release has another text there; the learner's stays beside it.
    assert sources.index("rate = 0.2") == sources.index("rate = 0.7") + 1
    assert "An old text." not in sources and "A new text." in sources
    assert "double(3) == 6" in _cell(notebook, "# CHECK double").source
    assert told == [
        "your answers: double, why",
        "cells of your own, or changed by you: 4",
        "answers whose given lines have changed, to compare with notebooks/: double",
    ]


def test_what_is_changed_and_no_answer_becomes_the_new_release(
    tiny: Course, begun: NotebookNode
) -> None:
    _cell(begun, "# CHECK double").source = "2.0"
    begun.cells.remove(_cell(begun, "steps = 100"))
    notebook, told = _renewed(tiny, begun)
    assert notebook == nbformat.read(tiny.notebooks / PLACE, as_version=4)
    assert told == []


def test_a_copy_saved_by_colab_or_without_its_digests_keeps_the_answer(
    tiny: Course, begun: NotebookNode
) -> None:
    _cell(begun, "# EXERCISE double").source = ANSWER
    begun.metadata.pop(notebooks.DIGESTS)
    begun.nbformat_minor = 0
    for cell in begun.cells:
        cell.metadata["id"] = cell.pop("id")
    nbformat.write(begun, tiny.work / PLACE)
    _release(tiny, NEW)
    work.renew(tiny, UNIT)
    notebook = nbformat.read(tiny.work / PLACE, as_version=4)
    assert _cell(notebook, "x + x").id == "double"
    assert "A new text." in _sources(notebook)


def test_the_command_renews_once_and_leaves_what_is_no_notebook(
    tiny: Course,
    begun: NotebookNode,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir("/")
    words = ["work", "--course", str(tiny.root)]
    assert main(["work"]) == 1
    assert "--course DIR" in capsys.readouterr().err
    _cell(begun, "# EXERCISE double").source = ANSWER
    nbformat.write(begun, tiny.work / PLACE)
    _release(tiny, NEW)
    assert main(words) == 0
    assert "your answers: double" in capsys.readouterr().out
    once = (tiny.work / PLACE).read_bytes()
    monkeypatch.setenv("ORDER_MATTERS_COURSE", str(tiny.root))
    assert main(["work"]) == 0
    assert capsys.readouterr().out == "All copies are of this release.\n"
    assert (tiny.work / PLACE).read_bytes() == once
    (tiny.work / PLACE).write_text("<<<<<<< HEAD")
    assert main(words) == 1
    assert "is no notebook (NotJSONError); move it away" in capsys.readouterr().err
    assert (tiny.work / PLACE).read_text() == "<<<<<<< HEAD"
