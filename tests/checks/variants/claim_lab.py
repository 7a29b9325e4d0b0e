"""Unit 09, right answers written differently: each is named after its exercise."""

import enum
import math
import statistics

import numpy as np
import pandas as pd
import torch

from helpers.claims import settle


def settle_by_an_index(values, low=-math.inf, high=math.inf):
    """Its verdicts are NumPy's texts."""
    least, most = np.mean(values) + np.array([-2, 2]) * np.std(values, ddof=1)
    names = np.array(["holds", "does not hold", "not settled here"])
    return names[0 if low <= least and most <= high else 1 if most < low or least > high else 2]


def settle_by_an_enumeration(values, low=-math.inf, high=math.inf):
    names = {"HOLDS": "holds", "FAILS": "does not hold", "OPEN": "not settled here"}
    verdict = enum.StrEnum("verdict", names)
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if mean + spread < low or mean - spread > high:
        return verdict.FAILS
    return verdict.HOLDS if low <= mean - spread and mean + spread <= high else verdict.OPEN


def settle_by_distance(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.mean(values), 2 * statistics.stdev(values)
    room = min(mean - low, high - mean)
    if room >= spread:
        return "holds"
    return "does not hold" if -room > spread else "not settled here"


def beyond_by_a_mask(right, trained):
    late = torch.arange(right.shape[2]) >= trained
    asked = ~right.isnan() & late
    fraction = (right.nan_to_num() * asked).sum((1, 2)) / asked.sum((1, 2))
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


def beyond_in_pandas(right, trained):
    late = right[:, :, trained:].flatten(1)
    fraction = pd.DataFrame(late.numpy().T).mean()
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


def offsets_in_pandas(table, matrices):
    places = np.arange(len(table))
    ratio = []
    for matrix in matrices:
        s = pd.Series((table @ matrix @ table.T).numpy().ravel())
        by_offset = s.groupby((places[None, :] - places[:, None]).ravel())
        rest = s - by_offset.transform("mean")
        ratio.append(math.sqrt((rest**2).sum() / ((s - s.mean()) ** 2).sum()))
    return {"ratio": np.array(ratio), "verdict": settle(ratio, high=0.01)}


def offsets_by_deviations(table, matrices):
    ratio = []
    for matrix in matrices:
        s = torch.einsum("ic,cd,jd->ij", table, matrix, table)
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(len(line) * line.var(correction=0) for line in lines) / s.numel()
        ratio.append((along.sqrt() / s.std(correction=0)).item())
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


def better_by_index(runs, ours, other, by):
    accuracy = runs.set_index(["encoding", "seed"])["accuracy"]
    found = (accuracy[ours] - accuracy[other]).dropna().sort_index()
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


def better_by_dictionaries(runs, ours, other, by):
    known = {(row.encoding, row.seed): row.accuracy for row in runs.itertuples()}
    seeds = sorted(s for name, s in known if name == ours and (other, s) in known)
    found = [known[ours, s] - known[other, s] for s in seeds]
    return {"difference": found, "verdict": settle(found, low=by)}


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
