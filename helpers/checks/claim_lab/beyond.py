"""Unit 09, “Beyond the training”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers.checks.claim_lab import common
from helpers.checks.engine import Case, Exercise, Part
from helpers.claims import claim, settle


def _beyond(right: Tensor, trained: int) -> dict[str, Any]:
    """Share right beyond the places trained on, by seed, and whether that is little but guesses."""
    share = right[:, :, trained:].nanmean((1, 2))
    return {"share": share, "verdict": claim.settle(share.tolist(), high=0.5)}


def _answers(rng: Random, shares: list[float], trained: int, everywhere: bool = False) -> Tensor:
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


def _shares(rng: Random) -> Iterator[Case]:
    for everywhere in (True, False):
        trained = rng.randint(9, 14)
        right = _answers(rng, [rng.uniform(0.3, 0.7) for _ in range(3)], trained, everywhere)
        if not everywhere:  # the texts that are asked much are those that go well
            right[:, :30, trained:] *= 0.0
        label = f"right {tuple(right.shape)}, trained={trained}: the shares"
        yield Case(label, common.ask_for("share", right, trained))


def _beyond_verdicts(rng: Random) -> Iterator[Case]:
    for words, shares in {
        "guesses": [0.12, 0.13, 0.14],
        "nearly all right": [0.94, 0.95, 0.96],
        "seeds that disagree": [0.2, 0.45, 0.7],
    }.items():
        trained = rng.randint(9, 14)
        right = _answers(rng, shares, trained)
        ask = common.ask_for("verdict", right, trained)
        yield Case(f"{words} beyond {trained} places: the verdict", ask)
    for known in (18, 33):  # of 60 texts, by each seed: no spread at all
        right = _answers(rng, [1.0, 1.0, 1.0], trained, everywhere=True)
        right[:, known:, trained:] = 0
        ask = common.ask_for("verdict", right, trained)
        yield Case(f"{known} of 60 texts right, in all of their places: the verdict", ask)


beyond = Exercise(
    "beyond",
    _beyond,
    (
        Part("the share of right answers, by seed", 0.25, _shares),
        Part("the verdict, whatever was measured", 0.25, _beyond_verdicts),
    ),
)


@beyond.mistake(
    "Your share is that of all places. Those trained on are nearly all right and hide what "
    "comes after them."
)
def beyond_and_inside(right, trained):
    share = right.nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


@beyond.mistake("These are the places that the model was trained on. Asked are those behind them.")
def beyond_is_inside(right, trained):
    share = right[:, :, :trained].nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


@beyond.mistake(
    "You begin one place too early: places are counted from 0, and the last one trained on is "
    "trained − 1.",
    loses="the share of right answers, by seed",
)
def beyond_one_too_early(right, trained):
    share = right[:, :, trained - 1 :].nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


@beyond.mistake(
    "You begin one place too late: the first place that was not trained on is number trained.",
    loses="the share of right answers, by seed",
)
def beyond_one_too_late(right, trained):
    share = right[:, :, trained + 1 :].nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


@beyond.mistake("You count a NaN as a wrong answer. Nothing was asked there: leave it out.")
def beyond_unasked_counted_as_wrong(right, trained):
    share = right[:, :, trained:].nan_to_num().mean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


@beyond.mistake("You count a NaN as a right answer. Nothing was asked there: leave it out.")
def beyond_unasked_counted_as_right(right, trained):
    share = right[:, :, trained:].nan_to_num(nan=1.0).mean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


@beyond.mistake(
    "You take a mean for each text and then the mean of these. A text that was asked once then "
    "weighs as much as one that was asked ten times.",
    loses="the share of right answers, by seed",
)
def beyond_mean_of_the_texts_means(right, trained):
    share = right[:, :, trained:].nanmean(2).nanmean(1)
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


@beyond.mistake(
    "Your shares are percentages, and the claim's 0.5 is not. Keep them between 0 and 1."
)
def beyond_in_percent(right, trained):
    share = 100 * right[:, :, trained:].nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


@beyond.mistake(
    "One number for all seeds cannot say how far they are apart. Take the mean over texts and "
    "places only."
)
def beyond_one_number(right, trained):
    share = right[:, :, trained:].nanmean()
    return {"share": share, "verdict": settle([float(share)], high=0.5)}


@beyond.mistake(
    "Your verdict is on the opposite claim. This one says that at most half is right.",
    loses="the verdict, whatever was measured",
)
def beyond_upside_down(right, trained):
    share = right[:, :, trained:].nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), low=0.5)}


@beyond.mistake(
    "Your verdict goes by the mean alone. Where the seeds disagree, nothing is settled; settle "
    "knows when.",
    loses="the verdict, whatever was measured",
)
def beyond_by_the_mean(right, trained):
    share = right[:, :, trained:].nanmean((1, 2))
    return {"share": share, "verdict": "holds" if share.mean() <= 0.5 else "does not hold"}


@beyond.mistake(
    "Your verdict is the same whatever was measured. Another model may come out otherwise: let "
    "it follow from the shares.",
    loses="the verdict, whatever was measured",
)
def beyond_by_heart(right, trained):
    share = right[:, :, trained:].nanmean((1, 2))
    return {"share": share, "verdict": "does not hold"}


@beyond.mistake(
    "You take the spread between texts. A new text is soon had; what may come out otherwise is "
    "the training, so the spread is that between seeds.",
    loses="the verdict, whatever was measured",
)
def beyond_with_every_text_a_seed(right, trained):
    share = right[:, :, trained:].nanmean((1, 2))
    texts = torch.nan_to_num(right[:, :, trained:].nanmean(2), 0.5).flatten()
    return {"share": share, "verdict": settle(texts.tolist(), high=0.5)}
