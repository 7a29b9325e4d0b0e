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
    """Fraction right beyond the places trained on, by seed; is that little but guesses?"""
    fraction = right[:, :, trained:].nanmean((1, 2))
    return {"fraction": fraction, "verdict": claim.settle(fraction.tolist(), high=0.5)}


def _answers(rng: Random, fractions: list[float], trained: int, everywhere: bool = False) -> Tensor:
    """(seeds, texts, T): all right at first, then each seed's fraction of them; NaN: not asked."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    texts, length = 60, trained + rng.randint(4, 7)
    probability = torch.ones(len(fractions), texts, length, dtype=torch.float64)
    probability[:, :, trained:] = torch.tensor(fractions, dtype=torch.float64)[:, None, None]
    right = (
        torch.rand(probability.shape, generator=draw, dtype=torch.float64) < probability
    ).double()
    if everywhere:
        return right
    # Of a text are asked more or fewer places, four in ten of them all.
    keep = torch.linspace(0.1, 0.7, texts, dtype=torch.float64)[:, None].expand(probability.shape)
    unasked = torch.rand(probability.shape, generator=draw, dtype=torch.float64) > keep
    return right.masked_fill(unasked, math.nan)


def _fractions(rng: Random) -> Iterator[Case]:
    for everywhere in (True, False):
        trained = rng.randint(9, 14)
        right = _answers(rng, [rng.uniform(0.3, 0.7) for _ in range(3)], trained, everywhere)
        if not everywhere:  # the texts that are asked much are those that go well
            right[:, :30, trained:] *= 0.0
        label = f"right {tuple(right.shape)}, trained={trained}: the fractions"
        yield Case(label, common.ask_for("fraction", right, trained))


def _beyond_verdicts(rng: Random) -> Iterator[Case]:
    for words, fractions in {
        "guesses": [0.12, 0.13, 0.14],
        "nearly all right": [0.94, 0.95, 0.96],
        "seeds that disagree": [0.2, 0.45, 0.7],
    }.items():
        trained = rng.randint(9, 14)
        right = _answers(rng, fractions, trained)
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
        Part("the fraction of right answers, by seed", 0.25, _fractions),
        Part("the verdict, whatever was measured", 0.25, _beyond_verdicts),
    ),
)


@beyond.mistake(
    "Your fraction is that of all places. Those trained on are nearly all right and hide what "
    "comes after them."
)
def beyond_and_inside(right, trained):
    fraction = right.nanmean((1, 2))
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


@beyond.mistake("These are the places that the model was trained on. Asked are those behind them.")
def beyond_is_inside(right, trained):
    fraction = right[:, :, :trained].nanmean((1, 2))
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


@beyond.mistake(
    "You begin one place too early: places are counted from 0, and the last one trained on is "
    "trained − 1.",
    loses="the fraction of right answers, by seed",
)
def beyond_one_too_early(right, trained):
    fraction = right[:, :, trained - 1 :].nanmean((1, 2))
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


@beyond.mistake(
    "You begin one place too late: the first place that was not trained on is number trained.",
    loses="the fraction of right answers, by seed",
)
def beyond_one_too_late(right, trained):
    fraction = right[:, :, trained + 1 :].nanmean((1, 2))
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


@beyond.mistake("You count a NaN as a wrong answer. Nothing was asked there: leave it out.")
def beyond_unasked_counted_as_wrong(right, trained):
    fraction = right[:, :, trained:].nan_to_num().mean((1, 2))
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


@beyond.mistake("You count a NaN as a right answer. Nothing was asked there: leave it out.")
def beyond_unasked_counted_as_right(right, trained):
    fraction = right[:, :, trained:].nan_to_num(nan=1.0).mean((1, 2))
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


@beyond.mistake(
    "You take a mean for each text and then the mean of these. A text that was asked once then "
    "weighs as much as one that was asked ten times.",
    loses="the fraction of right answers, by seed",
)
def beyond_mean_of_the_texts_means(right, trained):
    fraction = right[:, :, trained:].nanmean(2).nanmean(1)
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


@beyond.mistake(
    "Your fractions are percentages, and the claim's 0.5 is not. Keep them between 0 and 1."
)
def beyond_in_percent(right, trained):
    fraction = 100 * right[:, :, trained:].nanmean((1, 2))
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), high=0.5)}


@beyond.mistake(
    "One number for all seeds cannot say how far they are apart. Take the mean over texts and "
    "places only."
)
def beyond_one_number(right, trained):
    fraction = right[:, :, trained:].nanmean()
    return {"fraction": fraction, "verdict": settle([float(fraction)], high=0.5)}


@beyond.mistake(
    "Your verdict is on the opposite claim. This one says that at most half is right.",
    loses="the verdict, whatever was measured",
)
def beyond_upside_down(right, trained):
    fraction = right[:, :, trained:].nanmean((1, 2))
    return {"fraction": fraction, "verdict": settle(fraction.tolist(), low=0.5)}


@beyond.mistake(
    "Your verdict goes by the mean alone. Where the seeds disagree, nothing is settled; settle "
    "knows when.",
    loses="the verdict, whatever was measured",
)
def beyond_by_the_mean(right, trained):
    fraction = right[:, :, trained:].nanmean((1, 2))
    return {"fraction": fraction, "verdict": "holds" if fraction.mean() <= 0.5 else "does not hold"}


@beyond.mistake(
    "Your verdict is the same whatever was measured. Another model may come out otherwise: let "
    "it follow from the fractions.",
    loses="the verdict, whatever was measured",
)
def beyond_by_heart(right, trained):
    fraction = right[:, :, trained:].nanmean((1, 2))
    return {"fraction": fraction, "verdict": "does not hold"}


@beyond.mistake(
    "You take the spread between texts. A new text is soon had; what may come out otherwise is "
    "the training, so the spread is that between seeds.",
    loses="the verdict, whatever was measured",
)
def beyond_with_every_text_a_seed(right, trained):
    fraction = right[:, :, trained:].nanmean((1, 2))
    texts = torch.nan_to_num(right[:, :, trained:].nanmean(2), 0.5).flatten()
    return {"fraction": fraction, "verdict": settle(texts.tolist(), high=0.5)}
