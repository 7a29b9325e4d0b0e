"""Unit 09, “The verdict on a claim”: what it asks, and what people write instead.

It is tried on claims that were made up to come out each way, and on real ones that are soon
measured.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from helpers.checks.claim_lab import common
from helpers.checks.engine import Case, Exercise, Part, changed
from helpers.claims import CLAIMS, claim, settle
from helpers.claims.claim import FAILS, HOLDS, OPEN, PARTLY, Claim

# What the parts of a claim come to: each verdict several times, its reason now first, now last.
ALL_SETTLED = (
    *((HOLDS,), (FAILS,), (HOLDS, HOLDS), (FAILS, FAILS), (HOLDS, FAILS), (FAILS, HOLDS)),
    *((HOLDS, HOLDS, HOLDS), (FAILS, FAILS, FAILS), (HOLDS, HOLDS, FAILS), (FAILS, FAILS, HOLDS)),
)
ONE_OPEN = ((OPEN,), (HOLDS, OPEN), (OPEN, FAILS), (HOLDS, FAILS, OPEN), (OPEN, FAILS, FAILS))
MIXES = ALL_SETTLED + ONE_OPEN
TEXT = "made up, for this check"
CHEAP = (6, 10, 11, 12, 20)  # real claims that are measured within a tenth of a second


def verdict_by_parts(claim: Claim, seeds: Sequence[int]) -> dict[str, Any]:
    """Numbers and verdict of a claim, measured with these seeds."""
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


def drawn(rng: Random, mean: float, spread: float, count: int) -> list[float]:
    """Numbers drawn at random, then moved to have this mean and this standard deviation (n − 1)."""
    found = [rng.gauss(0, 1) for _ in range(count)]
    centre, size = statistics.fmean(found), statistics.stdev(found)
    return [mean + spread * (value - centre) / size for value in found]


@cache  # the reference and each mistake ask for the same seeds
def _once(number: int, seed: int, full: bool) -> Mapping[str, float]:
    measurement = CLAIMS[number].measurement
    assert measurement is not None
    return measurement(seed, full)


def _real(number: int) -> Claim:
    """A claim of the course; what an answer does to the numbers it gets, no other sees."""

    def measurement(seed: int, full: bool = False) -> dict[str, float]:
        return dict(_once(number, seed, full))

    return replace(CLAIMS[number], measurement=measurement)


def _part(rng: Random, number: str, comes_to: str, kind: int) -> tuple[claim.Part, float, float]:
    """A part with an interval of one of three kinds, and the mean and spread that come to it."""
    end, spread = rng.randint(3, 9) * 10.0, rng.uniform(1, 2)
    # The mean alone would settle an open part, and on either side.
    inside = {HOLDS: 4.0, FAILS: -4.0, OPEN: rng.choice([-0.8, 0.8])}[comes_to] * spread
    low, high = ((end, math.inf), (-math.inf, end), (end - 40, end))[kind]
    mean = end + inside if kind == 0 else end - inside
    return claim.Part(number, "made up", "", low, high), mean, spread


def _made(rng: Random, mix: Sequence[str], turn: int) -> tuple[Claim, list[int]]:
    """A claim whose parts come to `mix` when it is measured with the seeds that stand beside it.

    With others, as with those that it takes by itself, every part comes out far off. Its numbers
    are measured in another order than that of the parts, and one besides.
    """
    seeds = rng.sample(range(3, 60), rng.randint(3, 5))
    parts, columns = [], {}
    for place, comes_to in enumerate(mix):
        number = "abc"[place]
        part, mean, spread = _part(rng, number, comes_to, (place + turn) % 3)
        columns[number] = dict(zip(seeds, drawn(rng, mean, spread, len(seeds)), strict=True))
        parts.append(part)

    def measurement(seed: int, full: bool = False) -> dict[str, float]:
        beside = {"beside": -1000.0 - seed}
        found = {name: columns[name].get(seed, 1000.0 + seed) for name in reversed(columns)}
        return beside | found

    return Claim(100 + turn, TEXT, TEXT, TEXT, TEXT, tuple(parts), measurement), seeds


def _only_read(verdict: str) -> Claim:
    return Claim(200, TEXT, TEXT, TEXT, TEXT, read=verdict)


def _measured(rng: Random) -> Iterator[tuple[str, Claim, list[int]]]:
    """Claims made up and real, each with seeds to measure it with."""
    for turn, mix in enumerate(MIXES):
        each, seeds = _made(rng, mix, turn)
        yield f"a made-up claim whose parts are: {', '.join(mix)}", each, seeds
    for number in CHEAP:
        yield f"claim {number}", _real(number), rng.sample(range(100, 10_000), 3)


def _numbers(rng: Random) -> Iterator[Case]:
    for words, each, seeds in _measured(rng):
        names = [part.number for part in each.parts]
        ask = common.ask_for("numbers", each, seeds, keys=names)
        yield Case(f"{words}; seeds {seeds}: the numbers", ask)
    ask = common.ask_for("numbers", _only_read(OPEN), [3, 4], keys=())
    yield Case("a made-up claim that is only read: the numbers", ask)


def _verdicts(rng: Random) -> Iterator[Case]:
    for words, each, seeds in _measured(rng):
        yield Case(f"{words}; seeds {seeds}: the verdict", common.ask_for("verdict", each, seeds))
    for read in (FAILS, PARTLY, OPEN):
        label = f"a made-up claim that is only read, read={read!r}: the verdict"
        yield Case(label, common.ask_for("verdict", _only_read(read), [3, 4]))


verdict = Exercise(
    "verdict",
    verdict_by_parts,
    (
        Part("the numbers, as measured", 0.5, _numbers),
        Part("the verdict, whatever was measured", 0.5, _verdicts),
    ),
    forbidden=(Claim.verdict, Claim.findings, claim.Part.verdict, claim.overall),
)


@verdict.mistake(
    "Your verdict is that on the first part. The others are part of the claim as well.",
    loses="the verdict, whatever was measured",
)
@changed(
    verdict_by_parts, "part.high) for part in claim.parts", "part.high) for part in claim.parts[:1]"
)
def verdict_on_the_first_part(): ...


@verdict.mistake(
    "Your verdict is that on the last part: each turn of the loop forgets the one before.",
    loses="the verdict, whatever was measured",
)
@changed(
    verdict_by_parts,
    "part.high) for part in claim.parts",
    "part.high) for part in claim.parts[-1:]",
)
def verdict_on_the_last_part(): ...


@verdict.mistake(
    "You call a claim true as soon as one part holds. Where another part does not, there is a "
    "verdict of its own.",
    loses="the verdict, whatever was measured",
)
@changed(
    verdict_by_parts,
    'found.pop() if len(found) == 1 else "holds in part"',
    '"holds" if "holds" in found else "does not hold"',
)
def verdict_if_any_part_holds(): ...


@verdict.mistake(
    "You call a claim false as soon as one part fails. Where another part holds, there is a "
    "verdict of its own.",
    loses="the verdict, whatever was measured",
)
@changed(
    verdict_by_parts,
    'found.pop() if len(found) == 1 else "holds in part"',
    '"holds" if found == {"holds"} else "does not hold"',
)
def verdict_only_if_all_parts_hold(): ...


@verdict.mistake(
    "You pass over the open parts. What they come to might change the verdict, so it has to "
    "wait for them.",
    loses="the verdict, whatever was measured",
)
def verdict_without_the_open_parts(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    found = found - {"not settled here"} or {"not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


@verdict.mistake(
    "You say “holds in part” wherever the parts differ. An open part does not say no: look "
    "for it first.",
    loses="the verdict, whatever was measured",
)
@changed(verdict_by_parts, 'if "not settled here" in found', 'if found == {"not settled here"}')
def verdict_with_open_as_in_part(): ...


@verdict.mistake(
    "You look at the means alone. Give all values of a number to decide, which sees how far "
    "they are apart.",
    loses="the verdict, whatever was measured",
)
def verdict_by_the_means(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = [p.low <= statistics.fmean(numbers[p.number]) <= p.high for p in claim.parts]
    verdict = "holds" if all(found) else "holds in part" if any(found) else "does not hold"
    return {"numbers": numbers, "verdict": verdict}


@verdict.mistake(
    "Your verdict is the same whatever was measured. Let it follow from the parts.",
    loses="the verdict, whatever was measured",
)
def verdict_by_heart(claim, seeds):
    numbers = {}
    if claim.measurement is not None:
        rows = claim.measure(seeds)
        numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    return {"numbers": numbers, "verdict": "does not hold"}


@verdict.mistake("You measure with other seeds than those that you were given.")
@changed(verdict_by_parts, "claim.measure(seeds)", "claim.measure(range(len(seeds)))")
def verdict_with_the_usual_seeds(): ...


@verdict.mistake(
    "You take the columns of the table in their order. A part says by name which number it "
    "is about."
)
def verdict_by_the_order_of_the_columns(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    columns = claim.measure(seeds).drop(columns="seed").to_dict("list").values()
    numbers = {part.number: values for part, values in zip(claim.parts, columns, strict=False)}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


@verdict.mistake(
    "You leave out where a part's interval ends at the top: high.",
    loses="the verdict, whatever was measured",
)
@changed(verdict_by_parts, "part.low, part.high", "part.low")
def verdict_without_the_upper_end(): ...


@verdict.mistake(
    "You return one mean for each number. Return what each seed gave: without the single "
    "values nobody can check your verdict.",
    loses="the numbers, as measured",
)
def verdict_with_means_for_numbers(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].mean() for part in claim.parts}
    found = {settle(rows[part.number].tolist(), part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


@verdict.mistake(
    "Some claims can only be read: their measurement is None. There the verdict is claim.read."
)
def verdict_of_measured_claims_only(claim, seeds):
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


@verdict.mistake(
    "A claim without a measurement need not be open: somebody has read the source and put the "
    "verdict into claim.read.",
    loses="the verdict, whatever was measured",
)
@changed(verdict_by_parts, '"verdict": claim.read', '"verdict": "not settled here"')
def verdict_open_where_nothing_is_measured(): ...
