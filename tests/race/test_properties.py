"""Each fault of a bad encoding is found, and none where there is none."""

import pytest

from helpers.encodings import available
from helpers.race.costs import costs
from helpers.race.entrant import Entrant
from helpers.race.likeness import nearest
from helpers.race.properties import PROPERTIES, properties
from tests.encodings.properties.subjects import TREES
from tests.encodings.test_properties import RELATIVE
from tests.race import bad
from tests.tiers import sample

BLIND, MOVED = "tells neighbours apart", "shift-invariant"
FUTURE, CACHE, PADDED = (
    "causal without a look at the future",
    "cached = uncached",
    "padded = unpadded",
)
ROUGH = "half precision"
ABSOLUTE = ("sinusoidal", "learned", "index_mlp", "fourier", "tupe", "learned_2d", "fourier_2d")
PLAIN = [name for name in available() if name not in TREES and name != "none"]


def lacking(entrant: Entrant) -> dict[str, str]:
    """The properties that it has not, with what was found."""
    found = properties(entrant.build)
    assert [each.name for each in found] == [*PROPERTIES]
    return {each.name: each.found for each in found if not each.holds}


@pytest.mark.parametrize(
    ("kind", "faults", "says"),
    [
        (bad.MarksTheFirst, {BLIND, MOVED}, "1 of 11 pairs; not positions 1–2, 2–3"),
        (bad.ReadsTheFuture, {FUTURE, CACHE, PADDED}, "it reads the future"),
        (bad.BreaksInBfloat16, {ROUGH}, "times the rounding error"),
        (bad.DiffersWithACache, {MOVED, CACHE}, "results differ by"),
    ],
)
def test_a_bad_encoding_has_its_fault_and_no_other(kind: type, faults: set[str], says: str) -> None:
    found = lacking(Entrant("bad", kind))
    assert set(found) == faults
    assert says in " ".join(found.values())


def test_what_counts_from_the_end_reads_the_future() -> None:
    """Other later tokens change nothing, but their number does."""
    assert "it reads the future" in lacking(Entrant("bad", bad.CountsFromTheEnd))[FUTURE]


def test_what_is_no_number_holds_nothing() -> None:
    assert set(lacking(Entrant("bad", bad.NoNumbers))) == {*PROPERTIES}
    assert FUTURE in lacking(Entrant("bad", bad.NoNumbersInShortTexts))
    assert nearest(Entrant("bad", bad.NoNumbers).build) == []


def test_what_cannot_be_asked_is_told_in_its_own_words() -> None:
    found = lacking(Entrant("tree", "tree_offsets"))
    assert found[BLIND].startswith("breaks: ValueError: offsets must be those of a tree")


# What is RoPE in a plain text of 24 tokens, but for the speed of some pairs.
TURNING = {
    *("rotary", "xpos", "interpolated", "ntk", "dynamic_ntk", "yarn", "longrope", "llama3"),
    *("p_rope", "rotary_2d", "rotary_3d"),
}


@pytest.mark.parametrize("name", sample(PLAIN, 6))
def test_registered_encodings_have_no_fault(name: str) -> None:
    found = set(lacking(Entrant(name, name)))
    assert name not in RELATIVE or MOVED not in found
    assert name not in ABSOLUTE or MOVED in found
    assert found - {MOVED, BLIND} == set(), found


def test_what_reads_no_plain_text_is_like_no_other_and_its_cost_unknown() -> None:
    tree = Entrant("tree", "tree_offsets")
    assert nearest(tree.build) == [] and costs(tree.build)["steps"] == []


@pytest.mark.parametrize("name", ["alibi", "learned", "shaw_keys"])
def test_an_encoding_is_most_like_itself(name: str) -> None:
    [(first, far), (_, second), *_] = nearest(Entrant("again", name).build)
    assert first == name and far < 1e-9 < second


def test_what_turns_other_columns_is_still_like_rope() -> None:
    near = nearest(Entrant("halves", bad.BreaksInBfloat16).build)
    assert {name for name, _ in near} <= TURNING and near[0][1] < 0.05
