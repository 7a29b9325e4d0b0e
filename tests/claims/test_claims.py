"""The claim lab: every claim is there, its verdict follows from numbers, and chance flips none."""

import sys
from itertools import combinations

import pytest

from helpers import plots
from helpers.claims import (
    CLAIMS,
    FAILS,
    HOLDS,
    OPEN,
    PARTLY,
    VERDICTS,
    Claim,
    Part,
    figures,
    overall,
    questions,
    settle,
    study,
    table,
)
from helpers.claims import __main__ as command
from tests.tiers import NIGHTLY, sample

MEASURED = [claim for claim in CLAIMS.values() if claim.measurement]
AFRESH = sample(MEASURED, len(MEASURED))
# Seeds lie too far apart for a verdict, and the page says so.
UNSETTLED = {(28, "RoPE"), (29, "over RoPE"), (31, "long"), (34, "8×")}
measured = pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: str(claim.number))


def test_all_claims_are_there() -> None:
    assert list(CLAIMS) == list(range(1, 35))
    for claim in CLAIMS.values():
        assert bool(claim.parts) == bool(claim.measurement) and claim.read in VERDICTS
        assert claim.text and claim.source and claim.reference and claim.why


@pytest.mark.parametrize("claim", AFRESH, ids=lambda claim: str(claim.number))
def test_a_fresh_measurement_comes_to_the_recorded_verdict(claim: Claim) -> None:
    """In the quick form. By day one claim with one seed, which is enough, as a test below shows."""
    fresh, recorded = claim.measure(None if NIGHTLY else [0]), study.rows(claim.number)
    for part in _settled(claim):
        both = (part.verdict(rows[part.number].tolist()) for rows in (fresh, recorded))
        assert len(set(both)) == 1, part


def _settled(claim: Claim) -> list[Part]:
    """All parts, but for those that the record itself leaves open."""
    return [part for part in claim.parts if (claim.number, part.number) not in UNSETTLED]


@measured
def test_no_seed_and_no_three_seeds_flip_a_verdict(claim: Claim) -> None:
    rows = study.rows(claim.number)
    assert len(rows) >= {"patches": 5, "race/*": 3}.get(claim.record, 20)
    for part in claim.parts:
        values = rows[part.number].tolist()
        verdict = part.verdict(values)
        if (claim.number, part.number) in UNSETTLED:
            assert verdict == OPEN
            continue
        assert verdict in (HOLDS, FAILS)
        assert all(settle([value], part.low, part.high) == verdict for value in values)
        assert all(part.verdict(three) == verdict for three in combinations(values, 3))
    found = claim.findings(rows)
    noisy = found[(found["std"] > 0) & (found["verdict"] != OPEN)]
    assert (noisy["margin"] >= table.MARGIN * noisy["std"]).all()


# Those whose full form trains nothing, takes no time and needs no gigabyte.
READ = tuple(claim.number for claim in MEASURED if claim.record)
FULL = (6, 10, 11, 12, 13, 15, 19, 20, *READ)
SAME = (6, 12, 13, 15, 19, *READ)


@pytest.mark.parametrize("number", FULL)
def test_the_full_form_comes_to_the_same_verdict(number: int) -> None:
    claim, recorded = CLAIMS[number], study.rows(number)
    full = claim.measure([0, 1], full=True)
    assert set(full.columns) == set(recorded.columns)
    assert claim.verdict(full) == claim.verdict(recorded)
    said = "the same in both forms" in " ".join((claim.measurement.__doc__ or "").lower().split())
    assert said == (number in SAME) == full.equals(claim.measure([0, 1]))


@measured
def test_a_record_can_stand_for_a_measurement(claim: Claim) -> None:
    replayed, rows = study.replayed(claim), study.rows(claim.number)
    last = len(rows) - 1
    again = replayed.measure([last, 1])
    for part in claim.parts:
        assert again[part.number].tolist() == [rows[part.number][last], rows[part.number][1]]
    with pytest.raises(ValueError, match=f"seeds 0 to {len(rows) - 1}$"):
        replayed.measure([len(rows)])


@pytest.mark.parametrize(
    ("values", "ends", "verdict"),
    [
        ([1.0, 1.1, 0.9], {"low": 0.7, "high": 1.3}, HOLDS),
        ([1.0, 1.1, 0.9], {"low": 0.81, "high": 1.3}, OPEN),
        ([1.0, 1.1, 0.9], {"low": 1.19}, OPEN),
        ([1.0, 1.1, 0.9], {"low": 1.21}, FAILS),
        ([1.0, 1.1, 0.9], {"high": 0.79}, FAILS),
        ([0.0, 2.0], {"low": 0.9, "high": 1.1}, OPEN),  # it covers the interval on both sides
        ([512], {"low": 512, "high": 512}, HOLDS),
    ],
)
def test_the_rule_has_three_answers(
    values: list[float], ends: dict[str, float], verdict: str
) -> None:
    assert settle(values, **ends) == Part("m", "", "", **ends).verdict(values) == verdict


def test_a_claim_is_the_sum_of_its_parts() -> None:
    assert overall([HOLDS, HOLDS]) == HOLDS
    assert overall([FAILS]) == FAILS
    assert overall([HOLDS, FAILS]) == PARTLY
    assert overall([HOLDS, OPEN, FAILS]) == OPEN


def test_what_is_only_read_cannot_be_measured() -> None:
    with pytest.raises(ValueError, match="is not measured; see Devlin"):
        CLAIMS[14].measure()
    with pytest.raises(ValueError, match="number=14"):
        study.rows(14)
    assert CLAIMS[14].verdict() == PARTLY  # four days, and 64 of something else
    assert CLAIMS[18].verdict() == FAILS
    assert CLAIMS[22].verdict() == OPEN


def test_the_page_of_claims_is_what_its_command_writes() -> None:
    written = table.PATH.read_text(encoding="utf-8")
    assert written == table.page(), "run: python -m helpers.claims.table"


def test_the_page_of_questions_is_what_its_command_writes() -> None:
    written = (questions.DOCS / "questions.md").read_text(encoding="utf-8")
    fresh = questions.page().splitlines()
    # The error of the shift matrix is rounding, which may differ between machines.
    pairs = zip(written.splitlines(), fresh, strict=True)
    differing = [ours for ours, theirs in pairs if ours != theirs and "largest error" not in ours]
    assert not differing, "run: python -m helpers.claims.questions"
    assert questions.error_of_shift() < 1e-12


@pytest.mark.parametrize("claim", sample(MEASURED, 6), ids=lambda claim: str(claim.number))
def test_every_measurement_can_be_drawn(claim: Claim) -> None:
    rows = study.rows(claim.number)
    assert plots.png(figures.strips(claim, rows)).startswith(b"\x89PNG")
    text = figures.in_words(claim, rows)
    assert claim.verdict(rows) in text
    assert all(part.says in text for part in claim.parts)


def test_the_command_measures_one_claim_and_knows_its_numbers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["claims", "12", "18"])
    command.main()
    said = capsys.readouterr().out
    assert "512" in said and "by reading" in said and said.count(FAILS) >= 2
    monkeypatch.setattr(sys, "argv", ["claims", "99"])
    with pytest.raises(SystemExit, match="2"):
        command.main()
    assert "choose from 1 to 34" in capsys.readouterr().err
