"""A mistake that is said as one change of a right answer is a function like any other."""

import inspect

import pytest

from helpers.checks.bert_inputs import mask
from helpers.checks.bert_inputs.mask import mask_some
from helpers.checks.engine import changed
from helpers.course import synthetic


@changed(mask_some, "< 0.8", "< 0.7")
def mask_seventy_percent() -> None: ...


def test_it_has_its_own_name_and_text_in_the_file_of_the_right_answer() -> None:
    text = inspect.getsource(mask_some).replace("mask_some", "mask_seventy_percent")
    assert inspect.getsource(mask_seventy_percent) == text.replace("< 0.8", "< 0.7")
    assert mask_seventy_percent.__name__ == "mask_seventy_percent"
    assert mask_seventy_percent.__module__ == mask_some.__module__
    lost = [finding.part for finding in mask(mask_seventy_percent).findings if not finding.right]
    assert lost == ["80 % [MASK], 10 % random, 10 % kept"]


def test_a_learners_cell_holds_it_with_its_imports() -> None:
    cell = synthetic.as_cell(mask_seventy_percent, "mask_words")
    assert "import torch\n" in cell and "import MASK\n" in cell
    assert "mask_some" not in cell and cell.endswith("mask_words = mask_seventy_percent")


@pytest.mark.parametrize("was", ["generator", "no such text"])
def test_what_is_changed_has_to_be_there_once(was: str) -> None:
    with pytest.raises(ValueError, match="not once"):
        changed(mask_some, was, "")
