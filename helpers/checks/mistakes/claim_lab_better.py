"""Unit 09: what people write instead of a comparison seed by seed."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.claims import settle


def better_in_the_order_of_the_rows(runs, ours, other, by):
    a = runs[runs["encoding"] == ours]["accuracy"].tolist()
    b = runs[runs["encoding"] == other]["accuracy"].tolist()
    found = [x - y for x, y in zip(a, b, strict=False)]
    return {"difference": torch.tensor(found), "verdict": settle(sorted(found), low=by)}


def better_by_rank(runs, ours, other, by):
    a = sorted(runs[runs["encoding"] == ours]["accuracy"])
    b = sorted(runs[runs["encoding"] == other]["accuracy"])
    found = [x - y for x, y in zip(a, b, strict=False)]
    return {"difference": torch.tensor(found), "verdict": settle(found, low=by)}


def better_than_the_mean_of_the_other(runs, ours, other, by):
    a = runs[runs["encoding"] == ours].set_index("seed")["accuracy"].sort_index()
    found = a - runs[runs["encoding"] == other]["accuracy"].mean()
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


def better_upside_down(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[other] - wide[ours]).dropna()
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


def better_without_a_sign(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna().abs()
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


def better_as_a_ratio(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] / wide[other]).dropna()
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


def better_with_a_gap_filled(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).fillna(0)
    return {"difference": found, "verdict": settle(found.tolist(), low=by)}


def better_by_any_amount(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna()
    return {"difference": found, "verdict": settle(found.tolist(), low=0)}


def better_by_the_mean(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna()
    return {"difference": found, "verdict": "holds" if found.mean() >= by else "does not hold"}


def better_with_the_best_seed(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna()
    return {"difference": found, "verdict": "holds" if found.max() >= by else "does not hold"}


def better_or_worse(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna()
    return {"difference": found, "verdict": settle(found.tolist(), high=by)}


def better_by_heart(runs, ours, other, by):
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    found = (wide[ours] - wide[other]).dropna()
    return {"difference": found, "verdict": "not settled here"}


_DIFFERENCE, _VERDICT = "the difference, seed by seed", "the verdict, whatever was measured"
BETTER = (
    Mistake(
        better_in_the_order_of_the_rows,
        "You take the rows as they come. The runs of one seed need not stand in the same place of "
        "both lists: pair them by their seed.",
        (_DIFFERENCE, _VERDICT),
    ),
    Mistake(
        better_by_rank,
        "You pair the best run with the best. Pair the runs that share a seed: they have seen the "
        "same text.",
        (_DIFFERENCE,),
    ),
    Mistake(
        better_than_the_mean_of_the_other,
        "You compare each run with the other encoding's mean. Compare it with the run of the same "
        "seed.",
        (_DIFFERENCE, _VERDICT),
    ),
    Mistake(
        better_upside_down,
        "The sign is turned: the difference is positive where ours has the higher accuracy.",
        (_DIFFERENCE, _VERDICT),
    ),
    Mistake(
        better_without_a_sign,
        "Without its sign, a difference says as well of the worse one that it is better.",
        (_DIFFERENCE, _VERDICT),
    ),
    Mistake(
        better_as_a_ratio,
        "This is a ratio. The claim's by is a difference of accuracies.",
        (_DIFFERENCE, _VERDICT),
    ),
    Mistake(
        better_with_a_gap_filled,
        "A seed that only one of the two was run with gives no difference: leave it out instead of "
        "filling in 0.",
        (_DIFFERENCE,),
    ),
    Mistake(
        better_by_any_amount,
        "The argument by changes nothing in your verdict: any gain is enough for you.",
        (_VERDICT,),
    ),
    Mistake(
        better_by_the_mean,
        "Your verdict goes by the mean difference alone. Where it is now better and now worse, "
        "nothing is settled.",
        (_VERDICT,),
    ),
    Mistake(
        better_with_the_best_seed,
        "One good seed is enough for your verdict. Whoever repeats it will seldom be so lucky.",
        (_VERDICT,),
    ),
    Mistake(
        better_or_worse,
        "Your verdict is on the opposite claim. This one says that the gain is at least by.",
        (_VERDICT,),
    ),
    Mistake(
        better_by_heart,
        "Your verdict is the same whatever was measured. Let it follow from the differences.",
        (_VERDICT,),
    ),
)
