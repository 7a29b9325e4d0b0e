"""A lesson goes on with a learner's answers of an earlier unit, if they are there and right."""

from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from helpers.checks import bert_inputs
from helpers.checks.earlier import answers

UNIT = "07-bert-inputs"
RIGHT = "def padding_mask(tokens):\n    return (tokens != PAD)[:, None, None, :]"
IMPORT = "from helpers.corpora.wordpiece import PAD"
WRONG = "def padding_mask(tokens):\n    return (tokens == PAD)[:, None, None, :]"


def _worked(folder: Path, answer: str, *before: str) -> Path:
    """A folder beside that of unit 07, in which the padding mask is `answer`."""
    cells = [v4.new_code_cell(text) for text in (*before, answer)]
    cells[-1].metadata["nbgrader"] = {"grade_id": "padding"}
    path = folder / UNIT / f"{UNIT}.ipynb"
    path.parent.mkdir()
    nbformat.write(v4.new_notebook(cells=cells), path)
    return folder / "08-mini-bert"


def test_a_right_answer_is_the_learners_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beside = _worked(tmp_path, RIGHT, "%matplotlib inline", IMPORT)
    (found,) = answers(UNIT, beside, padding="padding_mask")
    assert found is not bert_inputs.padding.reference
    assert found.__name__ == "padding_mask"
    assert capsys.readouterr().out == "Yours, from unit 07: padding_mask.\n"


@pytest.mark.parametrize(
    "answer",
    [WRONG, "def padding_mask(tokens): ...", "raise SystemExit", "def padding_mask(", "x = 1"],
)
def test_anything_else_is_the_courses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    beside = _worked(tmp_path, answer, IMPORT)
    assert answers(UNIT, beside, padding="padding_mask") == [bert_inputs.padding.reference]
    assert "yours is not right yet" in capsys.readouterr().out


def test_without_the_other_notebook_it_is_the_courses_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"row": "pair_row", "padding": "padding_mask"}
    found = answers(UNIT, tmp_path / "08-mini-bert", **names)
    assert found == [bert_inputs.row.reference, bert_inputs.padding.reference]
    told = capsys.readouterr().out
    assert "unit 07 was not found beside this one): pair_row, padding_mask." in told


def test_a_file_that_is_no_notebook_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / f"{UNIT}.ipynb").write_text("[]")
    assert answers(UNIT, tmp_path, padding="padding_mask") == [bert_inputs.padding.reference]
