"""What unit 08 says of the recorded studies is what they show; so is 06's model answer."""

import re

import nbformat
import pandas as pd
import pytest

from helpers import recorded
from tests.common import ROOT

BIASES = ["clipped bias", "T5 bias", "Kerple", "ALiBi, directional", "ALiBi, symmetric", "FIRE"]
BY_OFFSET = ["RoPE", "xPos", "Shaw", "DeBERTa", "Transformer-XL", "CoPE", "Shaw keys"]
BELOW = {"learned": 1.05, "sinusoidal": 1.2}  # times the limit, at most
ABOVE = {"none": 2.5}  # at least


@pytest.fixture(scope="module")
def far() -> pd.Series:
    """Mean distance to the limit by kind, length and encoding."""
    table = recorded.load("bert_grammar").table
    table["far"] = table["loss"] - table["limit"]
    assert table.groupby(["encoding", "length", "kind"])["seed"].nunique().min() >= 3
    return table.groupby(["kind", "length", "encoding"])["far"].mean()


def test_the_race_at_the_length_trained_at(far: pd.Series) -> None:
    overall, beat, verb = far["all", 64], far["beat", 64], far["verb", 64]
    assert overall.nsmallest(2).index.tolist() == ["learned", "TUPE, relative"]
    assert beat.idxmin() == "learned" and beat["sinusoidal"] < 0.1 and beat["Fourier"] < 0.1
    assert overall["sinusoidal"] < overall["Fourier"] < overall["index MLP"]
    assert overall[[*BY_OFFSET, *BIASES, "Huang"]].idxmin() == "Huang"
    assert (verb[BY_OFFSET] < verb["sinusoidal"]).all()
    assert beat["Shaw"] < beat["Shaw keys"] - 0.3
    assert 0 < overall["window"] - overall["Shaw keys"] < 0.05
    assert overall[BIASES].is_monotonic_increasing
    assert overall["none"] == overall.max() and overall["FIRE"] > 1


def test_xpos_is_rope_to_less_than_a_spread(far: pd.Series) -> None:
    table = recorded.load("bert_grammar").table
    runs = table[(table["length"] == 64) & (table["kind"] == "all")]
    spread = runs.groupby("encoding")["loss"].std()
    apart = abs(far["all", 64, "xPos"] - far["all", 64, "RoPE"])
    assert apart < min(spread["xPos"], spread["RoPE"])


def test_the_race_on_longer_texts(far: pd.Series) -> None:
    lost = far["other", 256] - far["other", 64]
    assert (abs(lost[["window", "Kerple"]]) < 0.05).all()
    assert lost[["Shaw keys", "DeBERTa", "Transformer-XL"]].between(0.25, 0.4).all()
    assert 1.4 < lost["RoPE"] < 1.7 < 2 < lost["xPos"] < 2.5
    worse = far["other", 256] > far["other", 256, "none"]
    assert worse[["learned", "Huang", "Fourier", "sinusoidal"]].all()
    assert (far["beat", 256][["learned", "sinusoidal"]] < 0.1).all()


def test_times_the_limit() -> None:
    table = recorded.load("bert_grammar").table
    runs = table[(table["length"] == 64) & (table["kind"] == "all")]
    times = (runs["loss"] / runs["limit"]).groupby(runs["encoding"]).mean()
    assert all(times[name] <= most for name, most in BELOW.items())
    assert all(times[name] >= least for name, least in ABOVE.items())
    assert (runs["loss"] > runs["limit"]).all()


def test_the_choices() -> None:
    table = recorded.load("bert_choices").table
    assert (table["steps"] * table["batch"] == 800 * 64).all()
    runs = (table["loss"] / table["limit"]).groupby(table["changed"])
    mean, most, least = runs.mean(), runs.max(), runs.min()
    assert (runs.count() == 3).all()
    tables = mean.drop(["encoding sinusoidal", "encoding sinusoidal, std 0.02"])
    assert tables.idxmin() == "share 0.4" and most["share 0.4"] < least["as chosen"]
    assert min(least[["optimizer adamw", "lr 0.002", "batch 128"]]) > most["as chosen"]
    alike = mean[["std 0.02", "std 0.1", "batch 32", "norm post", "lr 0.008"]]
    assert (abs(alike - mean["as chosen"]) < runs.std().max()).all()
    assert least["encoding sinusoidal, std 0.02"] > most["encoding sinusoidal"] + 0.05


def test_english() -> None:
    table = recorded.load("bert_english").table
    loss = table.groupby(["encoding", "length"])["loss"].mean()
    at_64, level, shown = loss[:, 64], table["unigram"].mean(), table["shown"].mean()
    in_row, over_all = at_64["learned, shuffled order"], at_64["learned, shuffled over all rows"]
    by_offset = ["DeBERTa", "Transformer-XL", "Shaw keys", "RoPE"]
    assert set(at_64.nsmallest(4).index) == set(by_offset)
    assert abs(at_64["none"] - in_row) < 0.1 and at_64["none"] < level - 0.5
    assert 0.4 < level - shown < 0.65 and 0 < over_all - shown < 0.12
    assert level - shown > in_row - shown and abs(in_row - shown) < 0.15 < over_all - in_row
    below = in_row - at_64
    assert 0.4 < below["T5 bias"] / below.max() < 0.6
    assert 0.2 < below["ALiBi, symmetric"] / below.max() < 0.3
    worse = loss[:, 256] - loss[:, 64]
    assert (worse[["learned", "sinusoidal", "T5 bias"]] > 0.9).all()
    assert (worse[[*by_offset, "none", "learned, shuffled order"]] < 0.2).all()


def test_table_6_in_miniature() -> None:
    table = recorded.load("bert_ablation").table
    by_size = table.groupby(["layers", "width", "heads", "lr"])[["perplexity", "accuracy"]].mean()
    text = by_size["perplexity"]
    assert text[1, 64, 4, 0.004] > text[2, 64, 1, 0.004] > text[2, 64, 4, 0.004]
    assert text[2, 64, 4, 0.004] > text[4, 64, 4, 0.004] > text[4, 96, 6, 0.004]
    assert text[4, 96, 6, 0.004] < text[8, 96, 6, 0.004] < text[8, 96, 6, 0.002]
    right = by_size["accuracy"]
    assert right[1, 64, 4, 0.004] < 0.55
    assert right.drop([(1, 64, 4, 0.004), (8, 96, 6, 0.002)]).min() > 0.9


def test_what_pretraining_is_worth() -> None:
    table = recorded.load("bert_tuning").table.set_index(["task", "start"])["accuracy"].sort_index()
    agreement = {start: table["agreement", start] for _, start in table.index.unique()}
    assert (agreement["pretrained"] > 0.95).sum() == 2 and agreement["pretrained"].min() < 0.6
    others = ("from nothing", "pretrained, frozen", "bag of words")
    assert all(agreement[start].between(0.45, 0.56).all() for start in others)
    pairs = table["pairs"].groupby("start").mean()
    order = ["pretrained", "from nothing", "pretrained, frozen", "bag of words"]
    assert pairs[order].is_monotonic_decreasing and pairs["bag of words"] < 0.52


def test_the_model_answer_of_unit_06_rests_on_numbers_that_its_notebook_prints() -> None:
    notebook = nbformat.read(ROOT / "solutions/06-stacking/06-stacking.ipynb", as_version=4)
    outputs = [each for cell in notebook.cells for each in cell.get("outputs", [])]
    shown = " ".join(each.get("text", "") for each in outputs)
    printed = [float(each) for each in re.findall(r"\d+\.\d+", shown)]
    texts = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    [answer] = [c.source for c in texts if c.metadata.get("nbgrader", {}).get("points")]
    said = re.findall(r"\d+\.\d+", answer)
    assert len(said) >= 8
    for number in said:
        digits = len(number.partition(".")[2])
        assert any(round(each, digits) == float(number) for each in printed), number
