"""docs/mini-bert.md is what the records say, and has all of them."""

import re

from benchmarks import mini_bert_page as page
from helpers.recorded import load

NUMBER = re.compile(r"-?\d+\.\d+")


def test_the_page_is_what_make_table_writes() -> None:
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
