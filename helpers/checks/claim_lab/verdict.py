"""Unit 09, “The verdict on a claim”: what it asks.

It is tried on claims that were made up to come out each way, and on real ones that are soon
measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from random import Random
from typing import Any

from helpers.checks.claim_lab import common
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part
from helpers.claims import CLAIMS, claim, settle
from helpers.claims.claim import FAILS, HOLDS, OPEN, PARTLY, VERDICTS, Claim

# What the parts of a claim come to: each verdict several times, its reason now first, now last.
MIXES = (
    *((HOLDS,), (FAILS,), (HOLDS, HOLDS), (FAILS, FAILS), (HOLDS, FAILS), (FAILS, HOLDS)),
    *((HOLDS, HOLDS, FAILS), (FAILS, FAILS, HOLDS), (HOLDS, FAILS, HOLDS), (FAILS, HOLDS, FAILS)),
    *((OPEN,), (HOLDS, OPEN), (OPEN, FAILS), (HOLDS, FAILS, OPEN), (HOLDS, HOLDS, HOLDS, OPEN)),
)
NAMES = tuple("abcdefgh")
TEXT = "made up, for this check"
CHEAP = (10, 12)  # real claims that are measured within a tenth of a second


def verdict_by_parts(claim: Claim, seeds: Sequence[int]) -> dict[str, Any]:
    """Return numbers and verdict of a claim, measured with these seeds."""
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


@cache  # the reference and each mistake ask for the same seeds
def _once(number: int, seed: int, full: bool) -> Mapping[str, float]:
    measurement = CLAIMS[number].measurement
    assert measurement is not None
    return measurement(seed, full)


def _real(number: int) -> Claim:
    """Return a claim of the course; what an answer does to the numbers it gets, no other sees."""

    def measurement(seed: int, full: bool = False) -> dict[str, float]:
        return dict(_once(number, seed, full))

    return replace(CLAIMS[number], measurement=measurement)


def _part(rng: Random, number: str, comes_to: str, kind: int) -> tuple[claim.Part, float, float]:
    """Draw a part, its interval of one of four kinds, and the mean and spread that come to it."""
    end, spread = rng.choice((-1, 1)) * rng.randint(3, 9) * 10.0, rng.uniform(1, 2)
    # Near what two standard deviations come to; or, where open, so near that the mean says nothing.
    inside = {
        HOLDS: rng.choice([2.05, 4.0]),
        FAILS: -rng.choice([2.05, 4.0]),
        OPEN: rng.choice([-1.97, -0.8, 0.8, 1.97]),
    }[comes_to] * spread
    low, high = ((end, math.inf), (-math.inf, end), (end - 40, end), (end, end + 40))[kind]
    mean = end + inside if kind in (0, 3) else end - inside
    return claim.Part(number, "made up", "", low, high), mean, spread


def _made(
    rng: Random, mix: Sequence[str], turn: int, seeds: Sequence[int]
) -> tuple[Claim, Sequence[int]]:
    """Make a claim whose parts come to `mix` when it is measured with these seeds.

    With others, as with those that it takes by itself, and in the full form, every part comes out
    far off. Its numbers are measured in another order than that of the parts, and one besides.
    """
    parts, columns = [], {}
    names = rng.sample(NAMES, len(mix))
    for place, (name, comes_to) in enumerate(zip(names, mix, strict=True)):
        part, mean, spread = _part(rng, name, comes_to, (place + turn) % 4)
        found = common.drawn(rng, mean, spread, len(seeds))
        columns[name] = dict(zip(seeds, found, strict=True))
        parts.append(part)

    def measurement(seed: int, full: bool = False) -> dict[str, float]:
        far = dict.fromkeys(reversed(columns), 2000.0 if full else 1000.0 + seed)
        known = {} if full else {name: c[seed] for name, c in columns.items() if seed in c}
        return {"beside": -1000.0 - seed} | far | known

    read = rng.choice(VERDICTS)  # which means nothing, as it is measured
    number = 1 + turn % len(CLAIMS)  # of a real claim, whose verdict may be another
    return Claim(number, TEXT, TEXT, TEXT, TEXT, tuple(parts), measurement, read=read), seeds


def _shared(rng: Random) -> tuple[str, Claim, Sequence[int]]:
    """Have two parts look at the same numbers, each with an interval of its own."""
    made, seeds = _made(rng, (HOLDS, FAILS), 300, rng.sample(range(3, 60), rng.randint(3, 6)))
    holds, fails = made.parts
    outside = replace(fails, number=holds.number, low=500.0, high=math.inf)
    parts = (holds, outside) if rng.random() < 0.5 else (outside, holds)
    return "a made-up claim, two parts of the same number", replace(made, parts=parts), seeds


def _at_zero(rng: Random) -> Iterator[tuple[str, Claim, Sequence[int]]]:
    """Let an interval end at 0; several seeds give the same number."""
    made, seeds = _made(rng, (HOLDS,), 0, rng.sample(range(3, 60), 5))
    name = made.parts[0].number
    for mean in (-2.0, 2.0):
        first, second = common.drawn(rng, mean, 0.1, 2)
        values = dict(zip(seeds, (first, second, first, first, second), strict=True))
        measurement = partial(_looked_up, name, values)
        for low, high in ((0.0, math.inf), (-math.inf, 0.0)):
            parts = (replace(made.parts[0], low=low, high=high),)
            words = "a made-up claim whose interval ends at 0"
            yield words, replace(made, parts=parts, measurement=measurement), seeds


def _looked_up(
    name: str, values: Mapping[int, float], seed: int, full: bool = False
) -> dict[str, float]:
    return {name: 2000.0 if full else values.get(seed, 1000.0 + seed)}


def _only_read(verdict: str) -> Claim:
    return Claim(200, TEXT, TEXT, TEXT, TEXT, read=verdict)


def _measured(rng: Random) -> Iterator[tuple[str, Claim, Sequence[int]]]:
    """Draw claims made up and real, each with seeds to measure it with."""
    for turn, mix in enumerate(MIXES):
        seeds: Sequence[int] = rng.sample(range(3, 60), rng.randint(2, 7))
        if turn % 3 == 1:  # a range may have a step, and fall
            seeds = range(min(seeds), min(seeds) + 3 * len(seeds) - 1, 3)[:: rng.choice((-1, 1))]
        elif turn % 3 == 2:  # and seed 0 is a seed like any other
            seeds = (*seeds, 0)
        yield f"a made-up claim whose parts are: {', '.join(mix)}", *_made(rng, mix, turn, seeds)
    yield _shared(rng)
    yield from _at_zero(rng)
    for number in CHEAP:
        yield f"claim {number}", _real(number), rng.sample(range(100, 10_000), 3)


def _numbers(rng: Random) -> Iterator[Case]:
    for words, each, seeds in _measured(rng):
        names = [part.number for part in each.parts]
        ask = common.ask_for("numbers", each, seeds, keys=names)
        yield Case(f"{words}; seeds {seeds}: the numbers", ask)
    ask = common.ask_for("numbers", _only_read(OPEN), [3, 4])
    yield Case("a made-up claim that is only read: the numbers", ask)


def _verdicts(rng: Random) -> Iterator[Case]:
    found = [(f"{words}; seeds {seeds}", (each, seeds)) for words, each, seeds in _measured(rng)]
    for read in VERDICTS:
        words = f"a made-up claim that is only read, read={read!r}"
        found.append((words, (_only_read(read), [3, 4])))
    yield from common.verdict_cases(verdict_by_parts, found, _follows)


def _follows(said: dict[str, Any], given: common.Given) -> str:
    """Return the verdict that follows from the numbers in `said`."""
    numbers, parts = said.get("numbers"), given[0].parts
    columns = [common.listed(numbers.get(p.number)) for p in parts] if numbers else []
    if not columns or not all(columns):
        return ""
    found = {settle(c, p.low, p.high) for c, p in zip(columns, parts, strict=True)}
    return OPEN if OPEN in found else found.pop() if len(found) == 1 else PARTLY


OF_THE_LIBRARY = (Claim.verdict, Claim.findings, claim.Part.verdict, claim.overall)
verdict = Exercise(
    "verdict",
    verdict_by_parts,
    (
        Part("the numbers, as measured", 0.5, _numbers),
        Part("the verdict, whatever was measured", 0.5, _verdicts),
    ),
    forbidden=OF_THE_LIBRARY,
    explains=(
        "or a range, and returns a dict",
        'Other entries in `"numbers"` are allowed.',
        "You may use `decide`.",
    ),
    generic={"`seeds` stays as it is": IN_PLACE},
    module=__name__,
)
