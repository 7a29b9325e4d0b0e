"""The records of longer texts and larger pictures have every run that their studies name."""

import itertools

import pytest
import torch

from benchmarks import longer_study as longer
from benchmarks import patches_study as patches
from helpers import results
from helpers.corpora.patches import places
from helpers.encodings import Positions, Rotary2d
from helpers.training.context_extension import LENGTHS
from tests.encodings import hooks


def test_the_record_of_longer_texts() -> None:
    table = results.load("longer").table
    assert set(table["steps"]) == {longer.STEPS}
    seeds = table.groupby(["encoding", "factor", "tuned", "length"])["seed"].apply(list)
    known = {(each, 0, 0, n) for each in (*longer.PLAIN, *longer.SCRATCH) for n in LENGTHS}
    known |= {("YaRN, no temperature", longer.FACTOR, 0, n) for n in LENGTHS}
    for each in ("RoPE", *longer.MADE):
        factor = 0 if each == "RoPE" else longer.FACTOR
        known |= {(each, factor, tuned, n) for tuned in longer.TUNING for n in LENGTHS}
    for factor in longer.OTHER_FACTORS:
        lengths = (longer.TRAINED, factor * longer.TRAINED)
        known |= {(each, factor, 0, n) for each in longer.MADE for n in lengths}
    assert set(seeds.index) == known
    assert all(sorted(found) == list(longer.SEEDS) for found in seeds)


def test_the_record_of_larger_pictures() -> None:
    table = results.load("patches").table
    assert set(table["steps"]) == {patches.STEPS}
    seeds = table.groupby(["encoding", "length"])["seed"].apply(sorted)
    labels = [*patches.ENCODINGS, *(each for some in patches.ALSO.values() for each in some)]
    assert dict(seeds) == {
        (each, n): list(patches.SEEDS) for each in labels for n in patches.LENGTHS
    }


@pytest.mark.parametrize("name", ["longer", "patches"])
def test_no_loss_lies_below_its_limit(name: str) -> None:
    table = results.load(name).table
    assert (table["loss"] > table["limit"] - 0.02).all()  # below it only by noise
    assert table.groupby("length")["limit"].nunique().eq(1).all()


def test_within_the_clip_it_is_rope_and_beyond_every_row_and_column_is_the_farthest() -> None:
    torch.manual_seed(0)
    q, k = torch.randn(2, 1, 2, 16, 12, dtype=torch.float64)
    at = Positions(places(16), places(16))
    clipped = patches.ClippedRotary2d(24, 2, far=2)
    scores = q @ k.mT + hooks.scores(clipped, q, k, positions=at)
    # Key j moved so that it stands at the clipped offset, one pair of patches at a time.
    rope = Rotary2d(24, 2)
    for i, j in itertools.product(range(16), repeat=2):
        here, there = at.queries[0, i], at.keys[0, j]
        moved = here + (there - here).clamp(-2, 2)
        one = Positions(here[None, None], moved[None, None])
        own_q, own_k = rope.rotate(q[:, :, i : i + 1], k[:, :, j : j + 1], one)
        expected = (own_q * own_k).sum(-1)[..., 0]
        assert torch.allclose(scores[:, :, i, j], expected, atol=1e-12)
