"""Unit 09, “Better, seed by seed”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pandas as pd
import torch

from helpers.checks.claim_lab import common
from helpers.checks.engine import Case, Exercise, Part
from helpers.claims import claim

NAMES = ("learned", "sinusoidal", "Shaw keys", "Shaw", "none")


def _better(runs: pd.DataFrame, ours: str, other: str, by: float) -> dict[str, Any]:
    """Return the accuracy of `ours` less that of `other`, seed by seed; is that at least `by`?"""
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy").sort_index()
    difference = (wide[ours] - wide[other]).dropna()
    verdict = claim.settle(difference.tolist(), low=by)
    return {"difference": torch.tensor(difference.to_numpy()), "verdict": verdict}


def _runs(rng: Random, gains: Sequence[float]) -> common.Given:
    """Draw the runs of five encodings, two with these gains between them, in any order.

    Returns:
        The table, with columns that nobody has asked for, and the names of ours and the other.
    """
    ours, other, *rest = rng.sample(NAMES, 5)
    # As numbers and as texts the seeds stand in different orders. 0 is a seed like any other.
    seeds = [0, rng.randint(2, 9), *rng.sample(range(10, 100), len(gains))][: len(gains)]
    rows = [(name, seed, rng.random()) for name in rest for seed in seeds][1:]  # one is missing
    rows += [(name, seed, rng.random()) for name, seed in ((ours, 101), (ours, 7000), (other, 102))]
    for seed, gain in zip(seeds, gains, strict=True):
        low, high = max(0, math.ceil(-1024 * gain)), min(1024, math.floor(1024 * (1 - gain)))
        level = rng.randint(low, high) / 1024  # so that the gains stay exact
        rows += [(ours, seed, level + gain), (other, seed, level)]
    table = pd.DataFrame(rows, columns=["encoding", "seed", "accuracy"])
    table["length"], table["loss"] = 32, [math.nan, 0.5, *[1.0] * (len(rows) - 2)]
    order = rng.sample(range(len(rows)), len(rows))
    return table.iloc[order][rng.sample([*table.columns], 5)], ours, other


def _differences(rng: Random) -> Iterator[Case]:
    for count in (rng.randint(3, 6), rng.randint(3, 6), rng.randint(11, 13)):
        gains = [rng.uniform(-0.9, 0.9) for _ in range(count)]
        # Counts of right answers are often the same with several seeds, and with both encodings.
        gains[:3] = rng.sample((0.25, 0.25, 0.0), 3)
        runs, ours, other = _runs(rng, gains)
        ask = common.ask_for("difference", runs, ours, other, rng.uniform(0, 0.2))
        yield Case(f"{count} seeds, {ours!r} against {other!r}: the differences", ask)


def _verdicts(rng: Random) -> Iterator[Case]:
    by = rng.choice((0.02, 0.1, 0.15)) + rng.uniform(0, 0.02)
    below = rng.choice((-0.1, -0.05)) + rng.uniform(0, 0.02)
    wanted = [
        ("better by far", by, [by + 0.1, by + 0.101, by + 0.099]),
        ("worse with each seed", by, [-by - 0.05, -by - 0.06, -by - 0.055, -by - 0.05]),
        ("better, but by too little", by, [by - 0.01, by - 0.011, by - 0.009]),
        ("worse, but by little, as by allows", below, [below + 0.01, below + 0.011, below + 0.009]),
        ("now better and now worse", by, [0.3, -0.1, 0.2, 0.02]),
        ("far better, and by one seed less", 0.05, [0.97, 0.52, 0.95, 0.96]),
        ("better by next to nothing", 0.18, [0.001, 0.0011, 0.0009]),
        ("better by next to nothing", 0.0, [0.001, 0.0011, 0.0009]),
        ("no difference at all", 0.0, [0.0, 0.0, 0.0]),
        *(("all gains the same", 0.125, [0.125 + each] * 3) for each in (-1 / 512, 0.0, 1 / 512)),
    ]
    for end, count in ((by, 3), (below, rng.randint(4, 7))):
        for words, gains in common.near(rng, end, rng.uniform(0.01, 0.03), count):
            wanted.append((words, end, gains))
    questions = [(f"{words}, by={by:.3g}", (*_runs(rng, gains), by)) for words, by, gains in wanted]
    yield from common.verdict_cases(_better, questions, _follows)


def _follows(said: dict[str, Any], given: common.Given) -> str:
    difference = common.listed(said.get("difference"))
    return claim.settle(difference, low=given[-1]) if difference else ""


better = Exercise(
    "better",
    _better,
    (
        Part("the difference, seed by seed", 0.25, _differences),
        Part("the verdict, whatever was measured", 0.25, _verdicts),
    ),
    explains=(
        "Seeds differ, and",
        "`ours` and `other` name the two",
        "At least two seeds are shared.",
        "This table has a row for each run",
        "Return a dict:",
    ),
    module=__name__,
)
