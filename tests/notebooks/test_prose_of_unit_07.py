"""What unit 07 says of its experiments holds with three seeds, by the lesson's own functions."""

import random
from types import SimpleNamespace

import pytest

from helpers.checks.bert_inputs.pairs import sentence_pairs
from helpers.course.authoring import source
from helpers.model import superposition
from tests.common import ROOT

NEEDED = (
    "PAIR =", "english = docstrings", "def careless", 'predict("leak"', "beginnings =", "looks =",
)  # fmt: skip
SEEDS = range(3, 5)  # the lesson has 0 to 2


@pytest.fixture(scope="module")
def lesson() -> SimpleNamespace:
    """The names that some of the lesson's cells make."""
    names: dict[str, object] = {"sentence_pairs": sentence_pairs}
    for cell in source.read(ROOT / "source/07-bert-inputs/07-bert-inputs.py"):
        if any(each in cell.text for each in NEEDED) and (cell.type, cell.kind) == ("code", ""):
            exec(cell.text, names)
    return SimpleNamespace(**names)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_judge_who_sees_one_word(lesson: SimpleNamespace, seed: int) -> None:
    documents, draw = lesson.english.documents, random.Random
    first_word, length, in_common = lesson.looks.values()
    alone = first_word, length
    beginnings = lesson.careless(documents, draw(seed), lambda d, draw: d[0])
    anywhere = lesson.careless(documents, draw(seed), lambda d, draw: draw.choice(d))
    yours = sentence_pairs(documents, draw(seed))
    assert lesson.judged(beginnings, first_word) > 0.7
    assert all(lesson.judged(beginnings, look) > 0.6 for look in alone)
    assert all(lesson.judged(anywhere, look) > 0.52 for look in alone)
    assert all(lesson.judged(yours, look) < 0.53 for look in alone)
    assert lesson.judged(yours, in_common) > 0.57


@pytest.mark.parametrize("seed", SEEDS)
def test_thirds_side_by_side_are_read_back_less_often_than_a_sum(seed: int) -> None:
    by_sum = superposition.summed(64, seed)
    assert superposition.beside((22, 21, 21), seed) < by_sum - 0.03
    assert superposition.summed(8, seed) < 0.05 and superposition.summed(128, seed) > 0.95
