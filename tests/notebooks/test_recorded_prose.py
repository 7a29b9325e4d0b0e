"""What units 03 to 06, 08 and 10, and the page behind 08, say of the records is what they show."""

import re
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from torch import Generator

from helpers import results
from helpers.corpora import Grammar
from helpers.corpora.grammar import KINDS
from tests.common import ROOT

BIASES = ["T5 bias", "clipped bias", "FIRE", "Kerple", "ALiBi, directional", "ALiBi, symmetric"]
SIX = ["none", "sinusoidal", "learned", "Shaw keys", "T5 bias", "RoPE"]
BY_OFFSET = ["RoPE", "xPos", "Shaw", "DeBERTa", "Transformer-XL", "CoPE", "Shaw keys"]


@pytest.fixture(scope="module")
def far() -> pd.Series:
    """Mean distance to the limit by kind, length and encoding."""
    table = results.load("bert_grammar").table
    table["far"] = table["loss"] - table["limit"]
    assert table.groupby(["encoding", "length", "kind"])["seed"].nunique().min() >= 3
    return table.groupby(["kind", "length", "encoding"])["far"].mean()


def test_what_is_quoted_beside_an_assertion_stands_in_a_lesson() -> None:
    here, quoted = Path(__file__).parent, "\u201c([^\u201d]+)\u201d"
    files = [path.read_text(encoding="utf-8") for path in here.glob("test_recorded_*.py")]
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob("source/*/*.py")]
    lessons = re.sub(r"\s*\n# ", " ", "\n".join(texts)).casefold()
    quotes = [each for file in files for each in re.findall(quoted, file)]
    assert quotes and [each for each in quotes if each.casefold() not in lessons] == []


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
    assert overall["none"] == overall.max()


def test_the_race_on_longer_texts(far: pd.Series) -> None:
    lost = far["other", 256] - far["other", 64]
    assert (abs(lost[["window", "Kerple"]]) < 0.05).all()
    assert lost[["Shaw keys", "DeBERTa", "FIRE", "Transformer-XL"]].between(0.1, 0.5).all()
    assert 1.5 < lost["RoPE"] < lost["xPos"] - 0.3
    worse = far["other", 256] > far["other", 256, "none"]
    assert worse[["learned", "TUPE, relative", "Huang", "Fourier", "index MLP", "sinusoidal"]].all()
    beat = far["beat", 256]
    assert (beat[["learned", "sinusoidal"]] < 0.15).all() and beat["none"] > 2


def test_times_the_limit(far: pd.Series) -> None:
    table = results.load("bert_grammar").table
    runs = table[(table["length"] == 64) & (table["kind"] == "all")]
    times = (runs["loss"] / runs["limit"]).groupby(runs["encoding"]).mean()
    assert times["learned"] <= 1.05 and times["sinusoidal"] <= 1.2 and times["none"] >= 2.5
    assert (runs["loss"] > runs["limit"]).all()
    spread = runs.groupby("encoding")["loss"].std()
    apart = abs(far["all", 64, "xPos"] - far["all", 64, "RoPE"])
    assert apart < min(spread["xPos"], spread["RoPE"])


def test_english() -> None:
    table = results.load("bert_english").table
    loss = table.groupby(["encoding", "length"])["loss"].mean()
    at_64, level, shown = loss[:, 64], table["unigram"].mean(), table["shown"].mean()
    in_row, over_all = at_64["learned, shuffled order"], at_64["learned, shuffled over all rows"]
    by_offset = ["DeBERTa", "Transformer-XL", "Shaw keys", "RoPE"]
    assert set(at_64.nsmallest(4).index) == set(by_offset)
    assert abs(at_64["none"] - in_row) < 0.1 and at_64["none"] < level - 0.5
    assert 0.4 < level - shown < 0.65 and 0 < over_all - shown < 0.12
    assert level - shown > in_row - shown and abs(in_row - shown) < 0.15 < over_all - in_row
    worse = loss[:, 256] - loss[:, 64]
    assert (worse[["learned", "sinusoidal", "T5 bias"]] > 0.9).all()
    assert (worse[[*by_offset, "none", "learned, shuffled order"]] < 0.2).all()


def test_what_pretraining_is_worth() -> None:
    table = results.load("bert_tuning").table.set_index(["task", "start"])["accuracy"].sort_index()
    agreement = {start: table["agreement", start] for _, start in table.index.unique()}
    least, *others = sorted(agreement["pretrained"])
    assert 0.92 < least < 0.93 and min(others) > 0.99
    assert agreement["pretrained, frozen"].between(0.52, 0.6).all()  # a little above chance
    for start in ("from nothing", "bag of words"):
        assert agreement[start].between(0.48, 0.52).all()
    assert all(len(runs) == 3 for runs in agreement.values())
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


def test_the_clipped_pairs_of_unit_05_close_as_much_as_its_text_says() -> None:
    notebook = nbformat.read(ROOT / "solutions/05-after-bert/05-after-bert.ipynb", as_version=4)
    [cell] = [c for c in notebook.cells if "the two fast pairs" in c.source and c.get("outputs")]
    [table] = [o["data"]["text/plain"] for o in cell.outputs if "data" in o]
    rows = re.findall(r"([a-z][a-z ]+[a-z]) +[\d.]+ +[\d.]+ +([\d.]+)$", table, re.MULTILINE)
    at_96 = {name: float(loss) for name, loss in rows}
    limit = results.load("lag_controls").table.query("length == 96")["limit"].mean()
    gap = at_96["as trained"] - limit
    fast, slow = (
        (at_96["as trained"] - at_96[name]) / gap
        for name in ("the two fast pairs", "the four slow pairs")
    )
    # “16 to 28 % for the slow pairs, and 94 to 97 %”
    assert 0.935 < fast < 0.975 and 0.155 < slow < 0.285


def test_a_table_must_be_loud_and_rope_needs_offsets_that_it_knows() -> None:
    table = results.load("lag_controls").table
    assert table.groupby(["encoding", "length"])["seed"].nunique().min() >= 3
    runs = table.groupby(["encoding", "length"])["loss"]
    least, most = runs.min(), runs.max()
    limit = table.groupby("length")["limit"].mean()
    assert all(most[name, 24] < limit[24] + 0.05 for name in ("learned", "frozen, std 1"))
    assert least["frozen", 24] > 1.4
    assert 0.01 < runs.mean()["frozen, std 0.14", 24] - runs.mean()["learned", 24] < 0.03
    assert most["RoPE, clipped", 96] < limit[96] + 0.07
    assert least["RoPE", 96] > limit[96] + 1
    # The same weights, and at 24 there is nothing to clip.
    at_24 = table.query("length == 24").pivot(index="seed", columns="encoding", values="loss")
    assert (abs(at_24["RoPE"] - at_24["RoPE, clipped"]) < 1e-4).all()
    mean = runs.mean()
    assert 1.75 < mean["RoPE", 96] < 1.95 and 0.15 < limit[96] < 0.25  # “about 1.8”, “about 0.2”
    none = results.load("lag3").table.query("encoding == 'none' and length == 24")["loss"].mean()
    assert most["learned", 24] < limit[24] + 0.04
    assert f"{mean['frozen', 24] - limit[24]:.2f} {none - limit[24]:.2f}" == "1.24 1.33"


def test_what_unit_04_says_of_a_table_for_each_head() -> None:
    table = results.load("lag_heads").table
    runs = table.groupby(["encoding", "length"])
    assert (runs["seed"].nunique() == 3).all()
    mean = runs["loss"].mean().unstack()
    for name in ("Shaw keys", "Shaw"):
        assert (mean.loc[name] - mean.loc[f"{name}, per head"]).between(0, 0.0045).all()
    above = (table["loss"] - table["limit"]).groupby([table["encoding"], table["length"]]).mean()
    assert above.between(0.015, 0.035).all()


def test_what_unit_04_says_of_reverse_with_all_offsets_apart() -> None:
    right = results.load("reverse_apart").table.groupby("encoding")["accuracy"]
    merged = results.load("reverse").table.query("length == 16").groupby("encoding")["accuracy"]
    assert (right.count() == 3).all()
    wrong, before = 1 - right.mean(), 1 - merged.mean()
    assert wrong["Shaw keys"] < before["Shaw keys"] / 10  # “merging was most of it”
    assert 0.2 < wrong["T5 bias"] < 0.3  # “a quarter”
    assert merged.min()["RoPE"] > right.max()["T5 bias"]


def test_what_unit_06_says_of_trained_stacks() -> None:
    table = results.load("stack").table
    assert table.groupby(["encoding", "length"])["seed"].nunique().min() >= 3
    runs = table.groupby(["encoding", "length"])
    least, most = runs.min(), runs.max()
    at24 = (table["length"] == 24) & (table["encoding"] == "with skips")
    spread = table[at24]["loss"].max() - table[at24]["loss"].min()
    gap = least["loss"]["no skips", 24] - most["loss"]["with skips", 24]
    assert gap > 20 * spread and least["loss"]["no skips", 24] > 1.8
    assert most["residual 4"]["no skips", 24] < 0.05 and least["residual 4"]["with skips", 24] > 0.5
    assert least["residual 3"]["no skips", 24] > 0.2  # partly out of the collapse
    # The probe: lost after two layers; lost in the first; kept; not there at first.
    assert most["probe 0"]["no skips", 24] < 0.1 and least["probe 2"]["no skips", 24] > 5.5
    assert least["probe 1"]["with skips", 24] > 0.8 * most["probe 4"]["with skips", 24] - 0.5
    assert most["probe 4"]["renewed", 24] < least["probe 4"]["with skips", 24] - 0.8
    assert least["probe 0"]["Shaw", 24] > 5.9 and most["probe 4"]["Shaw", 24] < 5.6
    # Easier to read is not better.
    assert least["loss"]["renewed", 24] > most["loss"]["with skips", 24]
    assert most["loss"]["Shaw", 24] < least["loss"].loc[[("renewed", 24), ("with skips", 24)]].min()
    # Beyond the length: a table fails however often it is added.
    for length in (48, 96):
        limit = least["limit"]["Shaw", length]
        far = least["loss"]["renewed", length] - limit
        assert far > 0.8 * (most["loss"]["with skips", length] - limit)
        assert most["loss"]["Shaw", length] < limit + 0.15


def test_in_unit_06_only_shaws_clipped_keys_and_a_window_carry_over() -> None:
    table = results.load("lag3").table
    runs = (table["loss"] - table["limit"]).groupby([table["encoding"], table["length"]])
    least, most = runs.min(), runs.max()
    six = ["sinusoidal", "learned", "RoPE", "T5 bias", "clipped bias", "Shaw keys"]
    assert all(most[name, 24] < 0.06 for name in six)
    assert all(most[name, n] < 0.05 for name in ("Shaw keys", "window") for n in (24, 48, 96))
    assert all(least[name, 96] > 0.2 for name in six[:-1])
    assert least["clipped bias", 96] > most["window", 96] + 0.1


def test_what_unit_06_says_of_recorded_trees() -> None:
    table = results.load("tree").table
    loss = table.groupby("encoding")["loss"].agg(["mean", "std", "count"]).round(2)
    assert (loss["count"] == 3).all() and loss["std"].max() <= 0.01
    assert all(loss["mean"][["none", "learned", "Shaw on words"]] == 1.37)
    assert loss["mean"][["tree depth", "Shaw on the tree"]].tolist() == [0.53, 0.35]
    assert round(table["limit"].mean(), 2) == 0.31


def test_the_race_of_six_in_unit_08(far: pd.Series) -> None:
    english = results.load("bert_english").table.query("length == 64 and encoding in @SIX")
    order = english.groupby("encoding")["loss"].mean().sort_values().index.tolist()
    assert far["all", 64][SIX].idxmin() == "learned"
    by_seed = english.pivot(index="seed", columns="encoding", values="loss")
    ahead = by_seed.lt(by_seed["learned"], axis=0).mean()
    assert (ahead[["RoPE", "Shaw keys", "T5 bias"]] == 1).all() and 0 < ahead["sinusoidal"] < 1
    assert set(order[:2]) == {"Shaw keys", "RoPE"}
    worse = far["other", 256][SIX] > far["other", 256, "none"]
    assert set(worse[worse].index) == {"learned", "sinusoidal"}
    counted, shown = english[["unigram", "shown"]].mean().round(2)
    assert (counted, shown) == (6.33, 5.74)
    loss = english.groupby("encoding")["loss"].mean()
    below = (english["shown"].mean() - loss).round(1)
    assert (below["none"], below["RoPE"]) == (0.2, 2.0)
    assert round(loss["T5 bias"] - loss["RoPE"], 1) == 0.6


def test_what_the_rules_of_position_give_the_table_in_unit_08(far: pd.Series) -> None:
    masked = Grammar().batch(400, 64, Generator().manual_seed(0))
    kinds = Grammar().kinds(masked.targets)[masked.selected]
    shares = {kind: float((kinds == n).float().mean()) for n, kind in enumerate(KINDS)}
    placed = {}
    for name in ("sinusoidal", "RoPE", "Shaw keys", "T5 bias"):
        lead = far[:, 64, name] - far[:, 64, "learned"]
        placed[name] = sum(shares[kind] * lead[kind] for kind in ("beat", "echo")) / lead["all"]
    assert abs(placed.pop("sinusoidal")) < 0.05  # “nothing of its lead over sinusoids”
    assert all(0.35 < each < 0.6 for each in placed.values())  # “about half”


def test_what_unit_10_says_of_a_layer_without_positions() -> None:
    table = results.load("longer").table.query("tuned == 0 and factor == 0")
    loss = table.pivot_table("loss", ["length", "seed"], "encoding")
    apart = loss[["RoPE, none", "none, RoPE"]].sub(loss["RoPE"], axis=0)
    mean, lower = apart.groupby("length").mean().round(2), (apart < 0).groupby("length").sum()
    assert mean.loc[24, "RoPE, none"] == 0.06 and 0.01 < mean.loc[24, "none, RoPE"] < 0.06
    assert round(mean.loc[96, "RoPE, none"], 1) == -0.3 and mean.loc[96, "none, RoPE"] == 0.13
    assert lower.loc[96].tolist() == [17, 8]  # “17 of the 20 seeds”, “8 of the 20 seeds”


def test_each_optimiser_at_its_own_learning_rates() -> None:
    table = results.load("bert_adamw").table
    runs = (table["loss"] / table["limit"]).groupby([table["optimizer"], table["lr"]])
    assert (runs.count() == 3).all() and (table["steps"] == 200).all()
    mean, most, least = runs.mean(), runs.max(), runs.min()
    best = mean["adamw"].idxmin()
    assert mean["adamw"].index.min() < best < mean["adamw"].index.max()  # not at an end
    assert (round(mean["adamw"].min(), 1), round(mean["muon"].min(), 1)) == (2.7, 2.1)
    assert most["muon"].min() < least["adamw"].min()


def test_what_rope_loses_on_longer_texts_is_due_to_far_rules_and_unseen_offsets() -> None:
    table = results.load("bert_rope").table.query("kind == 'other'")
    table = table.assign(far=table["loss"] - table["limit"])
    far = table.pivot(index=["rules", "offsets", "seed"], columns="length", values="far")
    lost = (far[256] - far[64]).groupby(["rules", "offsets"])
    mean, most = lost.mean().round(2), lost.max()
    assert (lost.count() == 3).all()
    assert round(mean["all rules", "as they are"], 1) == 0.9
    assert round(mean["neither", "as they are"], 1) == 0.4
    assert mean["neither", "clipped"] == 0.03 and most["neither", "clipped"] < 0.06
    assert 0.4 < mean["neither", "as they are"] / mean["all rules", "as they are"] < 0.6
    clip = far[256]["all rules", "as they are"].mean() - far[256]["all rules", "clipped"].mean()
    assert 0.2 < clip / far[256]["all rules", "as they are"].mean() < 0.3
    english = results.load("bert_english").table.query("encoding == 'RoPE'")
    loss = english.groupby("length")["loss"].mean()
    assert round(loss[256] - loss[64], 1) == 0.1
