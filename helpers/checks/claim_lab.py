"""Unit 09, the claim lab: measurements that come out either way, and the verdicts on them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import pandas as pd
import torch
from torch import Generator, Tensor

from helpers.checks.claim_lab_common import around, entry
from helpers.checks.claim_lab_verdict import verdict
from helpers.checks.exercise import Case, Exercise, Part, call
from helpers.checks.mistakes import claim_lab as mistakes
from helpers.claims import claim
from helpers.claims.order import along_and_overall
from helpers.encodings import shift_matrix, sinusoidal_table

__all__ = ["better", "beyond", "offsets", "settle", "verdict"]


def _clear(rng: Random) -> Iterator[Case]:
    """Spread far smaller than the distance to the ends; and counts, which have none."""
    middle = rng.randint(3, 9) * 10.0
    for mean in (middle, middle - 30, middle + 30):
        yield call(around(rng, mean, 0.1), middle - 5, middle + 5)
    yield call(around(rng, middle, 0.1), -math.inf, middle + 5)
    yield call(around(rng, middle, 0.1), -math.inf, middle - 5)
    yield call(around(rng, middle, 0.1), middle - 5, math.inf)
    yield call(around(rng, middle, 0.1), middle + 5, math.inf)
    count = float(rng.randint(100, 2000))
    yield call([count, count, count], count, count)
    yield call([count, count, count], count + 1, count + 1)


def _noisy(rng: Random) -> Iterator[Case]:
    """The end of the interval at so many standard deviations from the mean, on either side."""
    mean, spread = rng.randint(3, 9) * 10.0, rng.uniform(1, 2)
    for distance in (1.4, 1.8, 2.3):
        end = distance * spread
        yield call(around(rng, mean, spread), -math.inf, mean + end)
        yield call(around(rng, mean, spread), mean - end, math.inf)
        yield call(around(rng, mean, spread), -math.inf, mean - end)
        yield call(around(rng, mean, spread), mean + end, math.inf)
    yield call(around(rng, mean, spread, skew=True), -math.inf, mean + 1.08 * spread)
    yield call(around(rng, mean, spread, skew=True), mean - 1.08 * spread, math.inf)
    yield call(around(rng, mean, spread), mean - spread / 2, mean + spread / 2)
    for end in (mean - 2, mean + 2):  # a standard deviation of 1: the ends meet exactly
        yield call(around(rng, mean, 1.0), -math.inf, end)
        yield call(around(rng, mean, 1.0), end, math.inf)


settle = Exercise(
    "settle",
    claim.settle,
    (
        Part("clear numbers, and counts", 0.5, _clear),
        Part("numbers near the end of the interval", 0.5, _noisy),
    ),
    mistakes.SETTLE,
)


def _right(rng: Random, shares: list[float], trained: int, everywhere: bool = False) -> Tensor:
    """(seeds, texts, T): all right at first, then right with each seed's share; NaN: not asked."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    texts, length = 60, trained + rng.randint(4, 7)
    chance = torch.ones(len(shares), texts, length, dtype=torch.float64)
    chance[:, :, trained:] = torch.tensor(shares, dtype=torch.float64)[:, None, None]
    right = (torch.rand(chance.shape, generator=draw, dtype=torch.float64) < chance).double()
    if everywhere:
        return right
    # Of a text are asked more or fewer places, four in ten of them all.
    keep = torch.linspace(0.1, 0.7, texts, dtype=torch.float64)[:, None].expand(chance.shape)
    unasked = torch.rand(chance.shape, generator=draw, dtype=torch.float64) > keep
    return right.masked_fill(unasked, math.nan)


def _beyond(right: Tensor, trained: int) -> dict[str, Any]:
    """Share right beyond the places trained on, by seed, and whether that is little but guesses."""
    share = right[:, :, trained:].nanmean((1, 2))
    return {"share": share, "verdict": claim.settle(share.tolist(), high=0.5)}


def _shares(rng: Random) -> Iterator[Case]:
    for everywhere in (True, False):
        trained = rng.randint(9, 14)
        right = _right(rng, [rng.uniform(0.3, 0.7) for _ in range(3)], trained, everywhere)
        if not everywhere:  # the texts that are asked much are those that go well
            right[:, :30, trained:] *= 0.0
        label = f"right {tuple(right.shape)}, trained={trained}: the shares"
        yield Case(label, entry("share", right, trained))


def _beyond_verdicts(rng: Random) -> Iterator[Case]:
    for words, shares in {
        "guesses": [0.12, 0.13, 0.14],
        "nearly all right": [0.94, 0.95, 0.96],
        "seeds that disagree": [0.2, 0.45, 0.7],
    }.items():
        trained = rng.randint(9, 14)
        right = _right(rng, shares, trained)
        ask = entry("verdict", right, trained)
        yield Case(f"{words} beyond {trained} places: the verdict", ask)
    for known in (18, 33):  # of 60 texts, by each seed: no spread at all
        right = _right(rng, [1.0, 1.0, 1.0], trained, everywhere=True)
        right[:, known:, trained:] = 0
        ask = entry("verdict", right, trained)
        yield Case(f"{known} of 60 texts right, in all of their places: the verdict", ask)


beyond = Exercise(
    "beyond",
    _beyond,
    (
        Part("the share of right answers, by seed", 0.25, _shares),
        Part("the verdict, whatever was measured", 0.25, _beyond_verdicts),
    ),
    mistakes.BEYOND,
)


def _offsets(table: Tensor, matrices: list[Tensor]) -> dict[str, Any]:
    """Spread of P·W·Pᵀ along its diagonals over that overall, for each W; do offsets say it all?"""
    share = [along_and_overall(table @ matrix @ table.T) for matrix in matrices]
    return {"share": torch.tensor(share), "verdict": claim.settle(share, high=0.01)}


def _normal(rng: Random, *shape: int) -> Tensor:
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(*shape, generator=draw, dtype=torch.float64)


def _spreads(rng: Random) -> Iterator[Case]:
    for length, width in ((rng.randint(9, 14), 6), (rng.randint(15, 20), 8)):
        table = sinusoidal_table(length, width)
        matrices = [3 * _normal(rng, width, width) for _ in range(3)]
        ask = entry("share", table, matrices)
        yield Case(f"{length} rows of sinusoids, three random matrices: the shares", ask)


def _offset_verdicts(rng: Random) -> Iterator[Case]:
    length, width = rng.randint(20, 30), 8
    sinusoids, eye = sinusoidal_table(length, width), torch.eye(width, dtype=torch.float64)
    turns = [shift_matrix(rng.randint(1, 9), width) for _ in range(3)]
    drawn = [_normal(rng, width, width) for _ in range(3)]
    drawn = [each / (sinusoids @ each @ sinusoids.T).std() for each in drawn]
    for words, table, matrices in (
        ("sinusoids, no matrix between them", sinusoids, [eye, eye]),
        ("sinusoids, matrices that turn them", sinusoids, turns),
        ("sinusoids, random matrices", sinusoids, drawn),
        ("a random table, no matrix", _normal(rng, length, width), [eye, eye]),
        ("sinusoids, one matrix that turns and one random", sinusoids, [turns[0], drawn[0]]),
    ):
        ask = entry("verdict", table, matrices)
        yield Case(f"{words}: the verdict", ask)
    for share in (0.007, 0.02):
        matrix = _with_share(rng, share)
        ask = entry("verdict", torch.eye(len(matrix)).double(), [matrix, matrix])
        yield Case(f"the unit matrix as table, a share of {share}: the verdict", ask)


def _with_share(rng: Random, share: float) -> Tensor:
    """A (12, 12) matrix of which `share` of the spread is along its diagonals."""
    length = 12
    places = torch.arange(length)
    offset = places[None, :] - places[:, None]
    level = torch.cat(
        [torch.full((length - 1,), -1.0), torch.tensor([0.0]), torch.ones(length - 1)]
    )
    base = level.double()[offset + length - 1]  # the same all along a diagonal, mean 0
    noise = _normal(rng, length, length)
    for k in range(1 - length, length):
        noise.diagonal(k).sub_(noise.diagonal(k).mean())
        if abs(k) < length - 1:  # every diagonal alike, but for the corners, of one entry
            noise.diagonal(k).div_(noise.diagonal(k).std(correction=0))
    return base + noise * (share / math.sqrt(1 - share**2) * base.norm() / noise.norm())


offsets = Exercise(
    "offsets",
    _offsets,
    (
        Part("the spread along the diagonals", 0.5, _spreads),
        Part("the verdict, whatever was measured", 0.5, _offset_verdicts),
    ),
    mistakes.OFFSETS,
    forbidden=(along_and_overall,),
)


def _better(runs: pd.DataFrame, ours: str, other: str, by: float) -> dict[str, Any]:
    """Accuracy of `ours` less that of `other`, seed by seed; is that at least `by`?"""
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy").sort_index()
    difference = (wide[ours] - wide[other]).dropna()
    verdict = claim.settle(difference.tolist(), low=by)
    return {"difference": torch.tensor(difference.to_numpy()), "verdict": verdict}


def _runs(rng: Random, gains: list[float], lonely: bool = False) -> pd.DataFrame:
    """Runs of three encodings in random order; the seeds differ more than the encodings do."""
    rows = []
    for seed, gain in enumerate(gains):
        level = 0.3 + 0.15 * seed + rng.uniform(0, 0.02)
        for name, accuracy in {"table": level + gain, "shaw": level, "none": 0.125}.items():
            rows.append({"encoding": name, "seed": seed, "accuracy": accuracy})
    if lonely:  # a seed that only one of them was run with
        rows.append({"encoding": "table", "seed": len(gains), "accuracy": 0.9})
    rng.shuffle(rows)
    return pd.DataFrame(rows)


def _differences(rng: Random) -> Iterator[Case]:
    for lonely in (False, True):
        gains = [gain + rng.uniform(0, 0.02) for gain in (0.35, 0.15, -0.05, -0.25)]
        ask = entry("difference", _runs(rng, gains, lonely), "table", "shaw", 0.05)
        words = ", and one that only the table was run with" if lonely else ""
        yield Case(f"four seeds{words}: the differences", ask)


def _better_verdicts(rng: Random) -> Iterator[Case]:
    for words, gains in {
        "0.10 better with each seed": [0.1, 0.101, 0.099, 0.1],
        "0.10 worse with each seed": [-0.1, -0.101, -0.099, -0.1],
        "0.02 better with each seed": [0.02, 0.021, 0.019, 0.02],
        "now better and now worse": [0.3, -0.1, 0.2, 0.02],
        "now worse and now better": [0.3, -0.3, 0.1, -0.05],
    }.items():
        ask = entry("verdict", _runs(rng, gains), "table", "shaw", 0.05)
        yield Case(f"{words}, by=0.05: the verdict", ask)


better = Exercise(
    "better",
    _better,
    (
        Part("the difference, seed by seed", 0.25, _differences),
        Part("the verdict, whatever was measured", 0.25, _better_verdicts),
    ),
    mistakes.BETTER,
)
