"""Mistakes are read from the file beside an exercise, in its order, and each is an answer."""

from functools import partial
from pathlib import Path

import pytest
import torch

from helpers.checks.engine import hints
from tests.checks import variants
from tests.checks.toy import TOY, X


def test_a_mistake_is_an_edit_of_a_right_answer_or_code_alone_or_behind_one() -> None:
    names = ["cut off", "threefold, and remembered", "halved", "halved, way 2", "halved, way 3"]
    assert [each.name for each in TOY.mistakes] == [*names, "refused", "refused with gradients"]
    assert [each.answer(X)[0, 0].item() for each in TOY.mistakes[:5]] == [2.0, 3.0, 0.5, 0.5, 0.5]
    assert [TOY(each.answer).hints for each in TOY.mistakes] == [[m.hint] for m in TOY.mistakes]
    assert TOY.mistakes[1].hint == "Yours is three times x, and twice x was asked for."
    assert TOY.mistakes[2].loses == ("numbers", "dtype and gradients")
    assert TOY.mistakes[0].violates == ("A gradient reaches x",)


def test_an_error_in_one_part_is_no_proof_where_another_part_differs_too() -> None:
    def refusing(x: torch.Tensor, times: int) -> torch.Tensor:
        if x.requires_grad:
            raise ValueError("no gradient")
        return times * x

    assert TOY(partial(refusing, times=2)).hints == ["Yours refuses what is learned."]
    assert TOY(partial(refusing, times=7)).hints == []


def test_a_refusal_in_the_learners_own_words_gets_the_hint_too() -> None:
    def refusing(x: torch.Tensor) -> torch.Tensor:
        raise ValueError(f"{x} is none that I know")

    def failing(x: torch.Tensor) -> torch.Tensor:
        raise KeyError("no number")

    assert TOY(refusing).hints == ["Yours refuses a number."] and TOY(failing).hints == []


def test_a_unit_may_have_no_right_answers_in_python() -> None:
    assert variants.of("01-tiny") == {"double": [], "triple": []}


def test_a_mistake_forgets_what_it_kept() -> None:
    assert TOY.mistakes[1].answer is not TOY.mistakes[1].answer
    TOY.mistakes[1].answer(X)
    assert TOY.mistakes[1].answer.__defaults__ == ([],)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('edit = [["3", "2"]]\nhint = ""', "'3' is 0 times in the right answer"),
        ('edit = [["x", "y"]]\nhint = ""', "'x' is 2 times in the right answer"),
        ('code = ""\nhint = ""\nloses = ["no part"]', "there is no part 'no part', only ['part']"),
        ('code = ""\nhint = ""\nbreaks = []', "unexpected keyword argument 'breaks'"),
        ('code = ""', "missing 1 required positional argument: 'hint'"),
        ('code = ""\nhint = ""\nof = "left"', "'left'"),
    ],
)
def test_a_file_that_says_something_else_is_refused(
    entry: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path.name  # another one each time: Python remembers packages
    (tmp_path / "__init__.py").touch()
    text = f"right = '''\ndef f(x):\n    return 2 * x'''\n[wrong]\n{entry}\n"
    (tmp_path / "file.toml").write_text(text)
    monkeypatch.syspath_prepend(tmp_path.parent)
    with pytest.raises((KeyError, TypeError, ValueError)) as refused:
        hints.load(f"{package}.file", ["part"])
    assert words in str(refused.value)
    [where] = refused.value.__notes__
    assert "['wrong']" in where and "file.toml" in where
