"""The records of longer texts and larger pictures have every run that their studies name."""

import pytest

from benchmarks import longer_study as longer
from benchmarks import patches_study as patches
from helpers import recorded


def test_the_record_of_longer_texts() -> None:
    table = recorded.load("longer").table
    assert set(table["steps"]) == {longer.STEPS}
    seeds = table.groupby(["encoding", "factor", "tuned", "length"])["seed"].apply(list)
    every, few = list(longer.SEEDS), list(longer.FEWER)
    known = dict.fromkeys(
        [(each, 0, 0, n) for each in ("RoPE", *longer.PLAIN) for n in longer.LENGTHS], every
    )
    known |= {("YaRN, no temperature", longer.FACTOR, 0, n): every for n in longer.LENGTHS}
    known |= {(each, 0, 0, n): few for each in longer.SCRATCH for n in longer.LENGTHS}
    for each in ("RoPE", *longer.MADE):
        factor = 0 if each == "RoPE" else longer.FACTOR
        for tuned in longer.TUNING:
            some = few if tuned == longer.TUNING[-1] else every
            known |= {(each, factor, tuned, n): some for n in longer.LENGTHS}
    for factor in longer.OTHER_FACTORS:
        for n in (longer.TRAINED, factor * longer.TRAINED):
            known |= {(each, factor, 0, n): every for each in longer.MADE}
    assert {key: sorted(found) for key, found in seeds.items()} == known


def test_the_record_of_larger_pictures() -> None:
    table = recorded.load("patches").table
    assert set(table["steps"]) == {patches.STEPS}
    seeds = table.groupby(["encoding", "length"])["seed"].apply(sorted)
    assert dict(seeds) == {
        (each, n): list(patches.SEEDS) for each in patches.ENCODINGS for n in patches.LENGTHS
    }


@pytest.mark.parametrize("name", ["longer", "patches"])
def test_no_loss_lies_below_its_limit(name: str) -> None:
    table = recorded.load(name).table
    assert (table["loss"] > table["limit"] - 0.02).all()  # below it only by noise
    assert table.groupby("length")["limit"].nunique().eq(1).all()
