"""Unit 09: the verdict on a claim, tried on claims that were made up to come out each way."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from helpers.checks.claim_lab_common import drawn, entry
from helpers.checks.exercise import Case, Exercise, Part
from helpers.checks.mistakes.claim_lab_verdict import VERDICT
from helpers.claims import CLAIMS, claim
from helpers.claims.claim import FAILS, HOLDS, OPEN, PARTLY, Claim

# What the parts of a claim come to: each verdict several times, its reason now first, now last.
ALL_SETTLED = (
    (HOLDS,),
    (FAILS,),
    (HOLDS, HOLDS),
    (FAILS, FAILS),
    (HOLDS, FAILS),
    (FAILS, HOLDS),
    (HOLDS, HOLDS, HOLDS),
    (FAILS, FAILS, FAILS),
    (HOLDS, HOLDS, FAILS),
    (FAILS, FAILS, HOLDS),
)
ONE_OPEN = ((OPEN,), (HOLDS, OPEN), (OPEN, FAILS), (HOLDS, FAILS, OPEN), (OPEN, FAILS, FAILS))
MIXES = ALL_SETTLED + ONE_OPEN
TEXT = "made up, for this check"
CHEAP = (6, 10, 11, 12, 20)  # real claims that are measured within a tenth of a second


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


def _verdict(each: Claim, seeds: Sequence[int]) -> dict[str, Any]:
    """Numbers and verdict of a claim, measured with these seeds."""
    if each.measurement is None:
        return {"numbers": {}, "verdict": each.read}
    table = each.measure(seeds)
    numbers = {part.number: table[part.number].tolist() for part in each.parts}
    parts = [claim.settle(numbers[part.number], part.low, part.high) for part in each.parts]
    return {"numbers": numbers, "verdict": claim.overall(parts)}


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
        ask = entry("numbers", each, seeds, keys=names)
        yield Case(f"{words}; seeds {seeds}: the numbers", ask)
    ask = entry("numbers", _only_read(OPEN), [3, 4], keys=())
    yield Case("a made-up claim that is only read: the numbers", ask)


def _verdicts(rng: Random) -> Iterator[Case]:
    for words, each, seeds in _measured(rng):
        yield Case(f"{words}; seeds {seeds}: the verdict", entry("verdict", each, seeds))
    for read in (FAILS, PARTLY, OPEN):
        label = f"a made-up claim that is only read, read={read!r}: the verdict"
        yield Case(label, entry("verdict", _only_read(read), [3, 4]))


verdict = Exercise(
    "verdict",
    _verdict,
    (
        Part("the numbers, as measured", 0.5, _numbers),
        Part("the verdict, whatever was measured", 0.5, _verdicts),
    ),
    VERDICT,
    forbidden=(Claim.verdict, Claim.findings, claim.Part.verdict, claim.overall),
)
