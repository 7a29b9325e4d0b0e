"""docs/mini-bert.md and docs/gpu.md are what the records say, and have all of them."""

import re
from types import ModuleType

import pytest

from benchmarks import gpu_page
from benchmarks import mini_bert_page as page
from helpers.results import load

NUMBER = re.compile(r"-?\d+\.\d+")


@pytest.mark.parametrize("page", [page, gpu_page])
def test_the_page_is_what_make_table_writes(page: ModuleType) -> None:
    written, fresh = page.PATH.read_text(encoding="utf-8"), page.page()
    assert NUMBER.sub("", written) == NUMBER.sub("", fresh), "run: make table"
    pairs = zip(NUMBER.findall(written), NUMBER.findall(fresh), strict=True)
    assert all(abs(float(a) - float(b)) < 0.02 for a, b in pairs), "run: make table"


def test_no_encoding_no_change_and_no_size_is_missing() -> None:
    written = page.PATH.read_text(encoding="utf-8")
    names = {*load("bert_grammar").table["encoding"], *load("bert_english").table["encoding"]}
    names |= {*load("bert_choices").table["changed"], *load("bert_tuning").table["start"]}
    for name in names:
        assert re.search(rf"\| {re.escape(name)} \|", written), name
    for row in load("bert_ablation").table[page.SIZE].drop_duplicates().itertuples(index=False):
        assert "| " + " | ".join(map(str, row)) + " |" in written


def test_no_form_and_no_length_is_missing_from_the_page_of_the_gpu() -> None:
    written = gpu_page.PATH.read_text(encoding="utf-8")
    sums = load("relative_forms_cuda").table
    names = {*load("mini_bert_forms_cuda").table["name"], *load("gpu").table["part"], *sums["name"]}
    for name in {*names, *map(str, sums["T"])}:
        assert re.search(rf"\| {re.escape(name)} \|", written), name


def test_the_page_draws_its_conclusions_from_what_was_recorded() -> None:
    steps = load("mini_bert_forms_cuda").table.set_index("name")["tokens_per_second"]
    assert steps.idxmax() == "ours, fused AdamW, CUDA graphs"
    assert set(load("gpu").table["outcome"]) == {"done"}
    sums = load("relative_forms_cuda").table
    time, memory = (
        sums.pivot_table(index="name", columns="T", values=each) for each in ("seconds", "bytes")
    )
    near = time.drop(["per_pair", "plain"])[[128, 256, 512]]
    assert (near.max() < 2 * near.min()).all()
    assert time.loc["flex", 4096] > 2 * time.loc["gather", 4096]
    assert abs(memory.loc["flex", 4096] / memory.loc["skew", 4096] - 1) < 0.05
    assert set(memory.index[memory[4096].isna()]) == {"per_pair", "einsum", "batched"}
