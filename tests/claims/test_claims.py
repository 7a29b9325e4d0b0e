"""The claim lab: every claim is there, its verdict follows from numbers, and chance flips none."""

import inspect
import math
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations

import pandas as pd
import pytest
import torch

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
from tests.common import ROOT
from tests.tiers import NIGHTLY, sample

MEASURED = [claim for claim in CLAIMS.values() if claim.measurement]
AFRESH = sample(MEASURED, 6)
# Seeds lie too far apart for a verdict, and the page says so.
UNSETTLED = {(28, "RoPE"), (29, "over RoPE"), (31, "long")}
measured = pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: str(claim.number))


@pytest.fixture(scope="module")
def quick() -> Iterator[dict[int, pd.DataFrame]]:
    """The quick form of the claims that are measured afresh: a sixth, and all at night.

    But for the night with one seed, which is enough: none flips a verdict, as a test below shows.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    seeds = None if NIGHTLY else [0]
    yield {claim.number: claim.measure(seeds) for claim in AFRESH}
    torch.set_num_threads(threads)


def test_all_claims_are_there_and_most_are_measured() -> None:
    assert list(CLAIMS) == list(range(1, 33))
    assert len(MEASURED) >= 15
    for claim in CLAIMS.values():
        assert bool(claim.parts) == bool(claim.measurement)
        assert claim.read in VERDICTS
        assert claim.text and claim.source and claim.reference and claim.why


@pytest.mark.parametrize("claim", AFRESH, ids=lambda claim: str(claim.number))
def test_a_fresh_measurement_comes_to_the_recorded_verdict(
    claim: Claim, quick: dict[int, pd.DataFrame]
) -> None:
    fresh, recorded = quick[claim.number], study.rows(claim.number)
    settled = _settled(claim)
    if len(settled) == len(claim.parts):
        assert claim.verdict(fresh) == claim.verdict(recorded)
    for part in settled:
        assert part.verdict(fresh[part.number].tolist()) == part.verdict(
            recorded[part.number].tolist()
        )


def _settled(claim: Claim) -> list[Part]:
    """All parts, but for those that the record itself leaves open."""
    return [part for part in claim.parts if (claim.number, part.number) not in UNSETTLED]


@measured
def test_what_is_left_open_is_known(claim: Claim) -> None:
    rows = study.rows(claim.number)
    for part in claim.parts:
        left_open = part.verdict(rows[part.number].tolist()) == OPEN
        assert left_open == ((claim.number, part.number) in UNSETTLED)


@measured
def test_no_seed_and_no_three_seeds_flip_a_verdict(claim: Claim) -> None:
    rows = study.rows(claim.number)
    assert len(rows) >= (5 if claim.record == "patches" else 20)
    for part in _settled(claim):
        values = rows[part.number].tolist()
        verdict = part.verdict(values)
        assert verdict in (HOLDS, FAILS)
        assert all(settle([value], part.low, part.high) == verdict for value in values)
        assert all(part.verdict(three) == verdict for three in combinations(values, 3))
        assert part.margin(values) > 0 or part.low == part.high


@measured
def test_the_margin_is_wider_than_the_noise(claim: Claim) -> None:
    found = claim.findings(study.rows(claim.number))
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
def test_every_measurement_can_be_asked_for_its_full_form(claim: Claim) -> None:
    assert claim.measurement
    parameters = inspect.signature(claim.measurement).parameters
    assert list(parameters) == ["seed", "full"] and parameters["full"].default is False


@measured
def test_a_record_can_stand_for_a_measurement(claim: Claim) -> None:
    replayed, rows = study.replayed(claim), study.rows(claim.number)
    again = replayed.measure([3, 1])
    for part in claim.parts:
        assert again[part.number].tolist() == [rows[part.number][3], rows[part.number][1]]
    assert replayed.verdict(replayed.measure(rows["seed"])) == claim.verdict(rows)
    last = len(rows) - 1
    for seeds, full in (([last + 1], False), ([0], True)):
        with pytest.raises(ValueError, match=f"seeds 0 to {last}$"):
            replayed.measure(seeds, full)


@measured
def test_other_numbers_would_give_another_verdict(claim: Claim) -> None:
    """No verdict is fixed: with numbers from the other side, each part says the opposite."""
    rows = study.rows(claim.number)
    for part in claim.parts:
        before = part.verdict(rows[part.number].tolist())
        end = part.low if math.isfinite(part.low) else part.high
        step = 1.0 if math.isfinite(part.low) else -1.0
        inside = end if part.low == part.high else end + step * 0.5 * abs(end)
        other = inside if before == FAILS else end - step * (0.5 * abs(end) + 1)
        turned = rows.assign(**{part.number: other})
        assert part.verdict(turned[part.number].tolist()) != before
        others = [each for each in claim.parts if each is not part]
        if not any((claim.number, each.number) in UNSETTLED for each in others):
            assert claim.verdict(turned) != claim.verdict(rows) or len(claim.parts) > 2


def test_the_rule_has_three_answers() -> None:
    assert settle([1.0, 1.1, 0.9], low=0.7, high=1.3) == HOLDS
    assert settle([1.0, 1.1, 0.9], low=0.81, high=1.3) == OPEN
    assert settle([1.0, 1.1, 0.9], low=1.19) == OPEN
    assert settle([1.0, 1.1, 0.9], low=1.21) == FAILS
    assert settle([1.0, 1.1, 0.9], high=0.79) == FAILS
    assert settle([0.0, 2.0], low=0.9, high=1.1) == OPEN  # it covers the interval on both sides
    assert settle([512], 512, 512) == HOLDS
    assert settle([512], 1024, 1024) == FAILS


def test_a_claim_is_the_sum_of_its_parts() -> None:
    assert overall([HOLDS, HOLDS]) == HOLDS
    assert overall([FAILS]) == FAILS
    assert overall([HOLDS, FAILS]) == PARTLY
    assert overall([HOLDS, OPEN, FAILS]) == OPEN
    assert overall([]) == OPEN


def test_the_margin_is_that_of_the_nearest_seed() -> None:
    assert Part("m", "", "", low=2, high=8).margin([3.0, 7.5, 12.0]) == pytest.approx(0.5)
    assert Part("m", "", "", high=1).margin([3.0, 7.5]) == 2


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
    rows = [line for line in written.splitlines() if line.startswith("| ")][2:]
    assert [int(line.split("|")[1]) for line in rows] == list(CLAIMS)
    assert all(line.count(" | ") == len(table.COLUMNS) - 1 for line in rows)


def test_the_page_of_questions_is_what_its_command_writes() -> None:
    written = (questions.DOCS / "questions.md").read_text(encoding="utf-8")
    fresh = questions.page().splitlines()
    # The error of the shift matrix is rounding, which may differ between machines.
    pairs = zip(written.splitlines(), fresh, strict=True)
    differing = [ours for ours, theirs in pairs if ours != theirs and "largest error" not in ours]
    assert not differing, "run: python -m helpers.claims.questions"
    assert questions.error_of_shift() < 1e-12
    assert questions.set_to_sinusoids() < 1e-6
    for name in ("questions-learning.png", "questions-tables.png"):
        assert name in written
        assert (questions.DOCS / name).exists()


@measured
def test_every_measurement_can_be_drawn(claim: Claim) -> None:
    rows = study.rows(claim.number)
    assert plots.png(figures.strips(claim, rows)).startswith(b"\x89PNG")
    text = figures.in_words(claim, rows)
    assert claim.verdict(rows) in text
    assert all(part.says in text for part in claim.parts)


@measured
def test_every_measurement_says_what_it_is(claim: Claim) -> None:
    text = claim.measurement.__doc__ if claim.measurement else None
    assert text and any(f"{year}" in text for year in range(2017, 2025))


def test_the_command_measures_one_claim_and_knows_its_numbers() -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "helpers.claims", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    said = run("12", "18").stdout
    assert "512" in said and "by reading" in said and said.count(FAILS) >= 2
    wrong = run("99")
    assert wrong.returncode == 2 and "choose from 1 to 32" in wrong.stderr


@pytest.mark.parametrize(
    ("ends", "wanted"),
    [
        ({"high": 50}, "at most 50"),
        ({"low": 0.1}, "at least 0.1"),
        ({"low": 2, "high": 2}, "exactly 2"),
        ({"low": 1, "high": 4}, "from 1 to 4"),
    ],
)
def test_a_claims_interval_is_told_in_words(ends: dict[str, float], wanted: str) -> None:
    claim = Claim(0, "told", "here", "", "", (Part("one", "a part", "%", **ends),), None)
    told = figures.told(claim, {"one": [2.0, 2.0, 2.0]}, settle)
    assert f"{wanted}: {claim.parts[0].verdict([2.0, 2.0, 2.0])}" in told
