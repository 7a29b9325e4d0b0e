"""English in a full race: which text is trained on, tested on, and seen by the sweep."""

from collections.abc import Iterator

import pytest

from helpers.corpora.english import English
from helpers.race import FULL, QUICK, Budget, english
from helpers.race.entrant import Entrant
from helpers.race.rules import SCORED, SWEEP, SYNTHETIC, draw_task
from helpers.race.runs import MEASURED, run

COMMON = "to be or not "  # 4 words
LENGTH = 2 + 4 * 50 + 1  # words and signs of a document


@pytest.fixture(autouse=True)
def documents(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Eighty documents, each with a word of its own."""
    texts = [[f"Own{n}: {COMMON * 25}", f"{COMMON * 25}."] for n in range(80)]
    caches = (english._documents, english._stream)
    monkeypatch.setattr(english, "docstrings", lambda: English(texts, {}, ""))
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


def test_a_full_race_has_english_and_a_quick_one_has_not() -> None:
    assert QUICK.tasks == SYNTHETIC and FULL.tasks == (*SYNTHETIC, "english")


def test_no_document_is_in_two_texts() -> None:
    words = [
        vars(draw_task("english", draw, test=test))["words"].tolist()
        for draw in (SWEEP, SCORED)
        for test in (False, True)
    ]
    assert [len(each) for each in words] == [LENGTH * n for n in (38, 2, 38, 2)]
    own = [{word for word in each if each.count(word) == 1} for each in words]
    assert [len(each) for each in own] == [38, 2, 38, 2] and len(set().union(*own)) == 80


def test_words_that_are_not_frequent_count_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english, "VOCABULARY", 4)
    words = english._stream(SWEEP, False).tolist()
    assert words[:6] == [english.OTHER, english.OTHER, 0, 1, 2, 3]


def test_a_run_on_english_has_a_loss_at_all_lengths() -> None:
    budget = Budget("tiny", steps=2, sweep_steps=1, seeds=2, tests=1, tasks=("english",))
    found = run(Entrant("none", "none"), "english", SCORED, 6e-3, budget, 0)
    assert found["outcome"].tolist() == [MEASURED] * 4 and {*found["limit"]} == {0}
    assert found["length"].tolist() == [32, 64, 128, 256]
