"""Unit 09, right answers written differently: NumPy, loops, joins, masks instead of slices."""

from __future__ import annotations

import enum
import math
import statistics

import numpy as np
import pandas as pd
import torch

from helpers.claims import settle
from tests.checks.variants.claim_lab_verdict import VERDICT


def settle_in_numpy(values, low=-math.inf, high=math.inf):
    values = np.asarray(values, dtype=float)
    ends = values.mean() + np.array([-2, 2]) * values.std(ddof=1)
    if (ends >= low).all() and (ends <= high).all():
        return "holds"
    if (ends < low).all() or (ends > high).all():
        return "does not hold"
    return "not settled here"


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


def settle_in_pandas(values, low=-math.inf, high=math.inf):
    series = pd.Series(values)
    least, most = series.mean() - 2 * series.std(), series.mean() + 2 * series.std()
    inside = low <= least and most <= high
    outside = most < low or least > high
    return "holds" if inside else "does not hold" if outside else "not settled here"


def settle_in_torch(values, low=-math.inf, high=math.inf):
    x = torch.tensor(values, dtype=torch.float64)
    mean, spread = x.mean().item(), 2 * x.std().item()
    verdict = "not settled here"
    if mean + spread <= high and mean - spread >= low:
        verdict = "holds"
    elif mean + spread < low or mean - spread > high:
        verdict = "does not hold"
    return verdict


def settle_by_hand(values, low=-math.inf, high=math.inf):
    n = len(values)
    mean = sum(values) / n
    spread = 2 * math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))
    if not (mean + spread < low or mean - spread > high):
        return "holds" if low <= mean - spread and mean + spread <= high else "not settled here"
    return "does not hold"


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


def beyond_by_a_loop(right, trained):
    fraction = []
    for texts in right[:, :, trained:]:
        answers = [x for x in texts.flatten().tolist() if not math.isnan(x)]
        fraction.append(sum(answers) / len(answers))
    return {"fraction": fraction, "verdict": settle(fraction, high=0.5)}


def beyond_in_numpy(right, trained):
    fraction = np.nanmean(right.numpy()[:, :, trained:], axis=(1, 2))
    return {"fraction": fraction, "verdict": settle(list(fraction), high=0.5)}


def beyond_flattened(right, trained):
    fraction = right[..., trained:].flatten(1).nanmean(1)
    verdict = settle([float(value) for value in fraction], -math.inf, 0.5)
    return {"verdict": verdict, "fraction": fraction}


def beyond_in_pandas(right, trained):
    late = right[:, :, trained:].flatten(1)
    fraction = pd.DataFrame(late.numpy().T).mean()
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


def offsets_by_diagonals(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum((line - line.mean()).square().sum() for line in lines)
        ratio.append(float((along / (s - s.mean()).square().sum()).sqrt()))
    return {"ratio": ratio, "verdict": settle(ratio, high=0.01)}


def offsets_by_their_means(table, matrices):
    places = torch.arange(len(table))
    offset = (places[None, :] - places[:, None] + len(table) - 1).flatten()
    ratio = []
    for matrix in matrices:
        s = (table @ matrix @ table.T).flatten()
        sums = torch.zeros(2 * len(table) - 1, dtype=s.dtype).index_add(0, offset, s)
        rest = s - (sums / offset.bincount())[offset]
        ratio.append((rest.norm() / (s - s.mean()).norm()).item())
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


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


def better_by_merging(runs, ours, other, by):
    a, b = (runs[runs["encoding"] == name] for name in (ours, other))
    both = a.merge(b, on="seed", suffixes=("_ours", "_other")).sort_values("seed")
    found = both["accuracy_ours"] - both["accuracy_other"]
    return {"difference": found.to_numpy(), "verdict": settle(found.tolist(), low=by)}


def better_by_dictionaries(runs, ours, other, by):
    known = {(row.encoding, row.seed): row.accuracy for row in runs.itertuples()}
    seeds = sorted(s for name, s in known if name == ours and (other, s) in known)
    found = [known[ours, s] - known[other, s] for s in seeds]
    return {"difference": found, "verdict": settle(found, low=by)}


def better_by_pivoting(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    wide = wide[[ours, other]].dropna()
    found = torch.tensor((wide[ours] - wide[other]).to_numpy())
    return {"difference": found, "verdict": settle(found.tolist(), by, math.inf)}


VARIANTS = {
    "settle": (
        settle_in_numpy,
        settle_by_an_index,
        settle_by_an_enumeration,
        settle_in_pandas,
        settle_in_torch,
        settle_by_hand,
        settle_by_distance,
    ),
    "beyond": (
        beyond_by_a_mask,
        beyond_by_a_loop,
        beyond_in_numpy,
        beyond_flattened,
        beyond_in_pandas,
    ),
    "offsets": (
        offsets_by_diagonals,
        offsets_by_their_means,
        offsets_in_pandas,
        offsets_by_deviations,
    ),
    "better": (
        better_by_index,
        better_by_merging,
        better_by_dictionaries,
        better_by_pivoting,
    ),
    "verdict": VERDICT,
}
