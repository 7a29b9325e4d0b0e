"""What is recorded is whole, and pages and lessons say of it what is so."""

import json
import math
import re
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from benchmarks import (
    bert_seeds_study,
    first_minutes,
    gpu_page,
    longer_study,
    mini_bert_page,
    patches_study,
    relative_attention,
)
from helpers.corpora.grammar import KINDS
from helpers.results import RESULTS, load
from helpers.training.context_extension import LENGTHS
from tests.common import ROOT

NUMBER = re.compile(r"-?\d+\.\d+")


@pytest.mark.parametrize("page", [mini_bert_page, gpu_page])
def test_the_page_is_what_make_table_writes(page: ModuleType) -> None:
    written, fresh = page.PATH.read_text(encoding="utf-8"), page.page()
    assert NUMBER.sub("", written) == NUMBER.sub("", fresh), "run: make table"
    pairs = zip(NUMBER.findall(written), NUMBER.findall(fresh), strict=True)
    assert all(abs(float(a) - float(b)) < 0.02 for a, b in pairs), "run: make table"


def test_the_page_of_the_gpu_draws_its_conclusions_from_what_was_recorded() -> None:
    steps = load("mini_bert_forms_cuda").table.set_index("name")["tokens_per_second"]
    assert steps.idxmax() == "ours, fused AdamW, CUDA graphs"
    ways = load("gpu").table.set_index("part")["outcome"].drop("versions", errors="ignore")
    assert set(ways) == {"done"}
    sums = load("relative_forms_cuda").table
    time, memory = (
        sums.pivot_table(index="name", columns="T", values=each) for each in ("seconds", "bytes")
    )
    near = time.drop(["per_pair", "plain"])[[128, 256, 512]]
    assert (near.max() < 2 * near.min()).all()
    assert time.loc["flex", 4096] > 2 * time.loc["gather", 4096]
    assert abs(memory.loc["flex", 4096] / memory.loc["skew", 4096] - 1) < 0.05
    assert set(memory.index[memory[4096].isna()]) == {"per_pair", "einsum", "batched"}


def test_what_unit_08_says_of_its_models_is_so_with_each_recorded_seed() -> None:
    runs = load("bert_seeds").table.set_index("seed")
    assert tuple(runs.index) == bert_seeds_study.SEEDS and len(runs) == 4
    assert (runs["heard"] == 0).all()
    assert runs["paris"].between(0.01, 0.03).all()
    assert runs["docstring"].between(0.14, 0.29).all()
    assert (runs["loss"] < runs["counted"] - 1).all()  # far below the unigram baseline
    assert runs["pairs"].between(0.45, 0.57).all()  # chance
    far = runs[[f"learned, {kind}" for kind in KINDS]].set_axis(KINDS, axis=1)
    assert (far.idxmin(axis=1) == "beat").all()
    assert (far[["echo", "verb"]].min(axis=1) > far["other"]).all()
    assert set(far.idxmax(axis=1)) == {"echo", "verb"}  # it depends on the seed
    grammar = load("bert_grammar").table.query("encoding == 'none' and length == 64")
    blind = (grammar["loss"] - grammar["limit"]).groupby(grammar["kind"]).min()[[*KINDS]]
    assert (far < blind).all(axis=None)
    assert (runs["echo"] > 0.9).all() and (runs["back"] > 0.4).all()
    assert (runs["most alike from 2 on"] == 60).all()
    assert (runs["other number"] < runs["same number"]).all()


def test_the_record_of_longer_texts_has_every_run() -> None:
    study, table = longer_study, load("longer").table
    assert set(table["steps"]) == {study.STEPS}
    seeds = table.groupby(["encoding", "factor", "tuned", "length"])["seed"].apply(list)
    known = {(each, 0, 0, n) for each in (*study.PLAIN, *study.SCRATCH) for n in LENGTHS}
    known |= {("YaRN, no temperature", study.FACTOR, 0, n) for n in LENGTHS}
    for each in ("RoPE", *study.MADE):
        factor = 0 if each == "RoPE" else study.FACTOR
        known |= {(each, factor, tuned, n) for tuned in study.TUNING for n in LENGTHS}
    for factor in study.OTHER_FACTORS:
        lengths = (study.TRAINED, factor * study.TRAINED)
        known |= {(each, factor, 0, n) for each in study.MADE for n in lengths}
    assert set(seeds.index) == known
    assert all(sorted(found) == list(study.SEEDS) for found in seeds)


def test_the_record_of_larger_pictures_has_every_run() -> None:
    study, table = patches_study, load("patches").table
    assert set(table["steps"]) == {study.STEPS}
    seeds = table.groupby(["encoding", "length"])["seed"].apply(sorted)
    labels = [*study.ENCODINGS, *(each for some in study.ALSO.values() for each in some)]
    assert dict(seeds) == {(each, n): list(study.SEEDS) for each in labels for n in study.LENGTHS}


@pytest.mark.parametrize("name", ["longer", "patches"])
def test_no_loss_lies_below_its_limit(name: str) -> None:
    table = load(name).table
    assert (table["loss"] > table["limit"] - 0.02).all()  # below it only by noise
    assert table.groupby("length")["limit"].nunique().eq(1).all()


def test_a_module_that_fails_at_one_length_misses_its_target() -> None:
    table = load("relative_attention").table
    fitted = pd.DataFrame({"T²·d": 0.0}, ["ours: shaw_keys", "ours: huang"])
    whole = relative_attention.targets(table, fitted)
    assert all(line.startswith("met") for line in whole)
    table.loc[(table["name"] == "shaw") & (table["T"] == 4096), ["bytes", "seconds"]] = math.nan
    missed = [line for line in relative_attention.targets(table, fitted) if line[:3] != "met"]
    assert len(missed) == 1 and missed[0].startswith("missed shaw: time over VITS")


def test_the_page_for_beginners_tells_the_recorded_seconds_of_all_steps() -> None:
    """A step with another name asks for a new record."""
    rows = json.loads((RESULTS / "first_minutes.json").read_text())["rows"]
    source = Path(first_minutes.__file__).read_text()
    assert len(rows) == source.count("laps.end(")
    assert all(f'"{row["step"]}"' in source for row in rows)
    whole, behind = (line.split() for line in first_minutes.targets(pd.DataFrame(rows)))
    assert whole[0] == behind[0] == "met"
    page = re.sub(r"\s+", " ", (ROOT / "docs" / "starting.md").read_text(encoding="utf-8"))
    assert f"it took {whole[1]} seconds" in page and f"solved, {behind[1]} of them" in page
