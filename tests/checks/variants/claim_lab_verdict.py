"""Unit 09, right verdicts on a claim written differently: counts, loops, one measurement a part."""

from __future__ import annotations

import numpy as np

from helpers.claims import settle


def verdict_by_counting(claim, seeds):
    if claim.measurement is None:
        return {"verdict": claim.read, "numbers": {}}
    rows = claim.measure(seeds)
    found = [settle(rows[p.number].tolist(), low=p.low, high=p.high) for p in claim.parts]
    if found.count("not settled here"):
        verdict = "not settled here"
    elif found.count("holds") == len(found):
        verdict = "holds"
    else:
        verdict = "holds in part" if found.count("holds") else "does not hold"
    return {"verdict": verdict, "numbers": {p.number: rows[p.number] for p in claim.parts}}


def verdict_with_all_and_any(claim, seeds):
    if not claim.parts:
        return {"numbers": {}, "verdict": claim.read}
    columns = claim.measure(seeds).to_dict("list")
    found = [settle(columns[p.number], p.low, p.high) for p in claim.parts]
    verdict = "holds in part"
    if any(each == "not settled here" for each in found):
        verdict = "not settled here"
    elif all(each == "holds" for each in found):
        verdict = "holds"
    elif all(each == "does not hold" for each in found):
        verdict = "does not hold"
    return {"numbers": columns, "verdict": verdict}  # the seeds and what is beside are no harm


def verdict_seed_by_seed(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    numbers = {part.number: [] for part in claim.parts}
    for seed in seeds:
        found = claim.measurement(seed, False)
        for name in numbers:
            numbers[name].append(found[name])
    verdicts = [settle(numbers[p.number], p.low, p.high) for p in claim.parts]
    verdict = verdicts[0]
    for other in verdicts[1:]:
        if "not settled here" in (verdict, other):
            verdict = "not settled here"
        elif other != verdict:
            verdict = "holds in part"
    return {"numbers": numbers, "verdict": verdict}


def verdict_in_numpy(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].to_numpy() for part in claim.parts}
    names = np.array([settle(list(numbers[p.number]), p.low, p.high) for p in claim.parts])
    if (names == "not settled here").any():
        return {"numbers": numbers, "verdict": "not settled here"}
    share = (names == "holds").mean()
    verdict = "holds" if share == 1 else "holds in part" if share > 0 else "does not hold"
    return {"numbers": numbers, "verdict": verdict}


def verdict_until_the_first_open_part(claim, seeds):
    numbers, found = {}, set()
    if claim.measurement is not None:
        rows = claim.measure(seeds)
        numbers = {part.number: list(rows[part.number]) for part in claim.parts}
    for part in claim.parts:
        found.add(settle(numbers[part.number], part.low, part.high))
        if "not settled here" in found:
            return {"numbers": numbers, "verdict": "not settled here"}
    if not found:
        return {"numbers": numbers, "verdict": claim.read}
    return {"numbers": numbers, "verdict": "holds in part" if len(found) == 2 else found.pop()}


VERDICT = (
    verdict_by_counting,
    verdict_with_all_and_any,
    verdict_seed_by_seed,
    verdict_in_numpy,
    verdict_until_the_first_open_part,
)
