"""Unit 09, “Better, seed by seed”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pandas as pd
import torch

from helpers.checks.claim_lab import common
from helpers.checks.engine import Case, Exercise, Part
from helpers.claims import claim, settle


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
        ask = common.ask_for("difference", _runs(rng, gains, lonely), "table", "shaw", 0.05)
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
        ask = common.ask_for("verdict", _runs(rng, gains), "table", "shaw", 0.05)
        yield Case(f"{words}, by=0.05: the verdict", ask)


better = Exercise(
    "better",
    _better,
    (
        Part("the difference, seed by seed", 0.25, _differences),
        Part("the verdict, whatever was measured", 0.25, _better_verdicts),
    ),
)


@better.mistake(
    "You take the rows as they come. The runs of one seed need not stand in the same place of "
    "both lists: pair them by their seed."
)
def better_in_the_order_of_the_rows(runs, ours, other, by):
    a = runs[runs["encoding"] == ours]["accuracy"].tolist()
    b = runs[runs["encoding"] == other]["accuracy"].tolist()
    found = [x - y for x, y in zip(a, b, strict=False)]
    return {"difference": torch.tensor(found), "verdict": settle(sorted(found), low=by)}


@better.mistake(
    "You pair the best run with the best. Pair the runs that share a seed: they have seen the "
    "same text.",
    loses="the difference, seed by seed",
)
def better_by_rank(runs, ours, other, by):
    a = sorted(runs[runs["encoding"] == ours]["accuracy"])
    b = sorted(runs[runs["encoding"] == other]["accuracy"])
    found = [x - y for x, y in zip(a, b, strict=False)]
    return {"difference": torch.tensor(found), "verdict": settle(found, low=by)}


@better.mistake(
    "You compare each run with the other encoding's mean. Compare it with the run of the same seed."
)
def better_than_the_mean_of_the_other(runs, ours, other, by):
    a = runs[runs["encoding"] == ours].set_index("seed")["accuracy"].sort_index()
    found = a - runs[runs["encoding"] == other]["accuracy"].mean()
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


@better.mistake(
    "The sign is turned: the difference is positive where ours has the higher accuracy."
)
def better_upside_down(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[other] - wide[ours]).dropna()
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


@better.mistake("Without its sign, a difference says as well of the worse one that it is better.")
def better_without_a_sign(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna().abs()
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


@better.mistake("This is a ratio. The claim's by is a difference of accuracies.")
def better_as_a_ratio(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] / wide[other]).dropna()
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


@better.mistake(
    "A seed that only one of the two was run with gives no difference: leave it out instead of "
    "filling in 0.",
    loses="the difference, seed by seed",
)
def better_with_a_gap_filled(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).fillna(0)
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


@better.mistake(
    "The argument by changes nothing in your verdict: any gain is enough for you.",
    loses="the verdict, whatever was measured",
)
def better_by_any_amount(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna()
    return {"difference": found, "verdict": settle(found.tolist(), low=0)}


@better.mistake(
    "Your verdict goes by the mean difference alone. Where it is now better and now worse, "
    "nothing is settled.",
    loses="the verdict, whatever was measured",
)
def better_by_the_mean(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna()
    return {"difference": found, "verdict": "holds" if found.mean() >= by else "does not hold"}


@better.mistake(
    "One good seed is enough for your verdict. Whoever repeats it will seldom be so lucky.",
    loses="the verdict, whatever was measured",
)
def better_with_the_best_seed(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna()
    return {"difference": found, "verdict": "holds" if found.max() >= by else "does not hold"}


@better.mistake(
    "Your verdict is on the opposite claim. This one says that the gain is at least by.",
    loses="the verdict, whatever was measured",
)
def better_or_worse(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna()
    return {"difference": found, "verdict": settle(found.tolist(), high=by)}


@better.mistake(
    "Your verdict is the same whatever was measured. Let it follow from the differences.",
    loses="the verdict, whatever was measured",
)
def better_by_heart(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna()
    return {"difference": found, "verdict": "not settled here"}
