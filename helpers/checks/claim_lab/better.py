"""Unit 09, “Better, seed by seed”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import pandas as pd
import torch

from helpers.checks.claim_lab import common
from helpers.checks.engine import Case, Exercise, Part
from helpers.claims import claim

DIFFERENCE, VERDICT = "the difference, seed by seed", "the verdict, whatever was measured"
NAMES = ("learned", "sinusoidal", "Shaw keys", "Shaw", "none")
ALIKE = ("Shaw", "Shaw keys")  # one is the beginning of the other


def _better(runs: pd.DataFrame, ours: str, other: str, by: float) -> dict[str, Any]:
    """Accuracy of `ours` less that of `other`, seed by seed; is that at least `by`?"""
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy").sort_index()
    difference = (wide[ours] - wide[other]).dropna()
    verdict = claim.settle(difference.tolist(), low=by)
    return {"difference": torch.tensor(difference.to_numpy()), "verdict": verdict}


def _table(rng: Random, accuracy: Mapping[tuple[str, int], float]) -> pd.DataFrame:
    """The runs in any order, with columns in any order, two of which nobody has asked for."""
    found = [
        {"encoding": name, "seed": seed, "accuracy": value, "length": 32, "loss": rng.random()}
        for (name, seed), value in accuracy.items()
    ]
    rng.shuffle(found)
    for row in found[::3]:  # so that some of ours, or of the other, are among them
        row["loss"] = math.nan
    columns = rng.sample(("encoding", "seed", "accuracy", "length", "loss"), 5)
    return pd.DataFrame(found, index=rng.sample(range(90), len(found)))[columns]


def _paired(
    rng: Random, gains: Sequence[float], levels: Sequence[float], names: Sequence[str] = ()
) -> tuple[dict[tuple[str, int], float], str, str]:
    """Runs of four encodings, by encoding and seed: two with these gains between them.

    Args:
        names: the first encodings: ours, the other, and so on; drawn where none are named.
    """
    drawn = rng.sample([name for name in NAMES if name not in names], 4 - len(names))
    ours, other, *rest = (*names, *drawn)
    # As numbers and as texts the seeds stand in different orders. 0 is a seed like any other.
    seeds = [rng.randint(2, 9), *rng.sample(range(10, 100), len(gains) - 1)]
    if len(seeds) > 2:
        seeds[-2:] = rng.randint(1_000, 99_999), 0
    rng.shuffle(seeds)
    found: dict[tuple[str, int], float] = {}
    for seed, gain, level in zip(seeds, gains, levels, strict=True):
        found |= {(ours, seed): level + gain, (other, seed): level}
        found |= {(name, seed): rng.uniform(0.1, 0.9) for name in rest}
    return found, ours, other


def _lonely(rng: Random, found: dict[tuple[str, int], float], ours: str, other: str) -> None:
    """Seeds with which only one of the two was run, and one with which a third was not."""
    known = sorted({seed for _, seed in found})
    third = next(name for name, _ in found if name not in (ours, other))
    del found[third, rng.choice(known)]
    free = rng.sample([seed for seed in range(2, 100) if seed not in known], 4)
    for name, seed in zip((ours, ours, other, third), free, strict=True):
        found[name, seed] = rng.uniform(0.1, 0.9)


def _differences(rng: Random) -> Iterator[Case]:
    for lonely, names in (
        *((False, ()), (True, ()), (True, ALIKE[:: rng.choice((-1, 1))])),
        *((True, ("Shaw", "learned", "Shaw keys")), (False, ("none", "Shaw", "Shaw keys"))),
        (False, ("keys", "learned", "Shaw keys")),  # the end of another name
    ):
        count = rng.randint(11, 13) if lonely and not names else rng.randint(3, 6)
        levels = [rng.uniform(0.01, 0.09), rng.uniform(0.91, 0.99)]  # two that could not be wider
        gains = [rng.uniform(0.8, 0.9), rng.uniform(-0.9, -0.8)]
        levels += [rng.uniform(0.4, 0.6) for _ in range(count - 2)]
        gains += [rng.uniform(-0.4, 0.4) for _ in range(count - 2)]
        found, ours, other = _paired(rng, gains, levels, names)
        if lonely:
            _lonely(rng, found, ours, other)
        words = ", and others that not all were run with" if lonely else ""
        label = f"{len(gains)} seeds{words}, {ours!r} against {other!r}: the differences"
        ask = common.ask_for("difference", _table(rng, found), ours, other, rng.uniform(0, 0.2))
        yield Case(label, ask)
    # Counts of right answers are often the same with several seeds, and with both encodings.
    gains, levels = rng.sample((-0.125, 0.0, 0.25, 0.25, 0.25), 5), [0.25, 0.5, 0.25, 0.5, 0.25]
    # An accuracy of 0 is one like any other.
    levels = [0.125 if gain < 0 else level for gain, level in zip(gains, levels, strict=True)]
    levels[gains.index(0.25)] = 0.0
    found, ours, other = _paired(rng, gains, levels)
    ask = common.ask_for("difference", _table(rng, found), ours, other, 0.1)
    yield Case(f"5 seeds, some with the same accuracy, {ours!r} against {other!r}", ask)


def _better_verdicts(rng: Random) -> Iterator[Case]:
    by = rng.choice((0.02, 0.1, 0.15)) + rng.uniform(0, 0.02)
    below = rng.choice((-0.1, -0.05)) + rng.uniform(0, 0.02)
    wanted = [
        ("better by far with each seed", by, [by + 0.1, by + 0.101, by + 0.099]),
        ("worse with each seed", by, [-by - 0.05, -by - 0.06, -by - 0.055, -by - 0.05]),
        ("better, but by too little", by, [by - 0.01, by - 0.011, by - 0.009]),
        ("worse, but by little, as by allows", below, [below + 0.01, below + 0.011]),
        ("now better and now worse", by, [0.3, -0.1, 0.2, 0.02]),
        ("now worse and now better", 0.05, [0.3, -0.3, 0.1, -0.05]),
        ("far better, and by one seed less", 0.05, [0.97, 0.52, 0.95, 0.96]),
        ("better, and with one seed worse", 0.05, [0.3, 0.302, -0.2, 0.298]),
        ("better by next to nothing", 0.18, [0.001, 0.0011, 0.0009]),
        ("better by next to nothing", 0.0, [0.001, 0.0011, 0.0009]),
        ("no difference at all", 0.0, [0.0, 0.0, 0.0]),
        ("worse, and with one seed better", 0.05, [-0.3, -0.302, 0.2, -0.298]),
        *(("all gains the same", 0.125, [0.125 + each] * 3) for each in (-1 / 512, 0.0, 1 / 512)),
    ]
    wanted += _levels(rng)
    for end, count in ((by, rng.randint(2, 3)), (by, rng.randint(5, 7))):
        for words, gains in common.near(rng, end, rng.uniform(0.01, 0.03), count):
            wanted.append((words, end, gains))
    for words, gains in common.about_two(rng, below, rng.uniform(0.01, 0.03), 4):
        wanted.append((words, below, gains))
    questions = [_question(rng, *each) for each in wanted]
    yield from common.verdict_cases(questions, _follows)


def _levels(rng: Random) -> Iterator[tuple[str, float, list[float]]]:
    """Gains nearly the same with each seed, between all that might stand in place of by."""
    for by in (0.03, 0.08, 0.18):
        for gain in (-0.03, 0.02, 0.04, 0.065, 0.09, 0.13):
            middle = gain + rng.uniform(-0.001, 0.001)
            gains = [middle + step / 1000 for step in rng.sample(range(-2, 3), rng.randint(2, 5))]
            yield f"a gain of about {gain:g}", by + rng.uniform(-0.002, 0.002), gains


def _question(rng: Random, words: str, by: float, gains: list[float]) -> common.Question:
    """In most, the seeds differ more than the encodings do; in steps that leave the gains exact."""
    alike, high = words.endswith("each seed"), max(gains) > 0.5
    low, most = (300, 302) if alike else (2, 20) if high else (310, 600)
    found, ours, other = _paired(rng, gains, [rng.randint(low, most) / 1024 for _ in gains])
    if not alike and len(gains) > 2:  # of two, one would be left where a third was not run
        _lonely(rng, found, ours, other)
    label = f"{words}; {ours!r} against {other!r}, by={by:.3g}"
    # As the reference would find them, which takes pandas milliseconds, and a check asks 75 times.
    paired = [seed for name, seed in found if name == other and (ours, seed) in found]
    right = claim.settle([found[ours, seed] - found[other, seed] for seed in paired], low=by)
    return common.Question(label, (_table(rng, found), ours, other, by), right)


def _follows(said: dict[str, Any], given: common.Given) -> str:
    difference = common.listed(said.get("difference"))
    return claim.settle(difference, low=given[-1]) if difference else ""


better = Exercise(
    "better",
    _better,
    (Part(DIFFERENCE, 0.25, _differences), Part(VERDICT, 0.25, _better_verdicts)),
    explains=(
        "Seeds differ, and",
        "Write `better_verdict`.",
        "`ours` and `other` name the two",
        "At least two seeds are shared.",
        "This table has a row for each run",
        "Return a dict:",
    ),
    module=__name__,
)


_ON = "settle(found.tolist(), low=by)"
