"""What unit 08 says of the models that it trains is so with each recorded seed."""

import nbformat
import pytest
from nbformat import NotebookNode, v4

from benchmarks import bert_seeds_study as study
from benchmarks.full_profile import UNIT
from helpers.corpora.grammar import KINDS
from helpers.results import load
from tests.common import ROOT

RUNS = load("bert_seeds").table.set_index("seed")


def _lesson() -> NotebookNode:
    return nbformat.read(ROOT / "solutions" / UNIT / f"{UNIT}.ipynb", 4)


def test_the_lessons_seed_and_three_others_are_recorded() -> None:
    assert tuple(RUNS.index) == study.SEEDS and len(study.SEEDS) == 4


def test_paris_gets_little_and_a_docstring_more() -> None:
    assert (RUNS["heard"] == 0).all()
    assert RUNS["paris"].between(0.01, 0.03).all()
    assert RUNS["docstring"].between(0.14, 0.29).all()


def test_what_was_learned_of_english() -> None:
    assert (RUNS["loss"] < RUNS["counted"] - 1).all()  # far below the unigram baseline
    assert RUNS["pairs"].between(0.45, 0.57).all()  # chance


def test_beats_are_closest_to_the_limit_and_echoes_and_verbs_furthest() -> None:
    far = RUNS[[f"learned, {kind}" for kind in KINDS]].set_axis(KINDS, axis=1)
    assert (far.idxmin(axis=1) == "beat").all()
    assert (far[["echo", "verb"]].min(axis=1) > far["other"]).all()
    assert set(far.idxmax(axis=1)) == {"echo", "verb"}  # it depends on the seed
    blind = RUNS[[f"none, {kind}" for kind in KINDS]].set_axis(KINDS, axis=1)
    assert (blind > far).all(axis=None)


def test_a_head_and_the_table_show_the_echo() -> None:
    assert (RUNS["echo"] > 0.9).all() and (RUNS["back"] > 0.4).all()
    shown = RUNS.loc[0]
    assert (shown["neighbours head"], shown["echo head"], shown["back head"]) == (
        "1.1",
        "1.2",
        "1.2",
    )
    assert (RUNS["most alike from 2 on"] == 60).all()


def test_the_study_runs_the_lessons_cells_with_another_seed() -> None:
    cells = [cell.source for cell in study.seeded(_lesson(), 7).cells]
    for shown, other in study.SEEDED.items():
        assert not [text for text in cells if shown in text]
        assert sum(other.format(7) in text for text in cells) == 1
    assert cells[-1] == study.READ
    with pytest.raises(ValueError, match="stands in 0 cells"):
        study.seeded(v4.new_notebook(cells=[v4.new_code_cell(study.LAST)]), 7)


@pytest.mark.rotating
def test_a_dry_run_finds_everything() -> None:
    found = study.run(1, "dry")
    assert set(found) == {"seed", *RUNS.columns}
