"""Unit 09, “Beyond the training”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.claim_lab import common
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part
from helpers.claims import claim, small


def _beyond(right: Tensor, trained: int) -> dict[str, Any]:
    """Return the fraction right beyond the positions trained on; is it half at most?"""
    fraction = right[:, :, trained:].nanmean((1, 2))
    return {"fraction": fraction, "verdict": claim.settle(fraction.tolist(), high=0.5)}


def _answers(rng: Random, seeds: int, texts: int, trained: int, length: int) -> Tensor:
    """Draw (seeds, texts, length): mostly right at first, then less often; all are asked."""
    draw = torch.Generator().manual_seed(rng.randrange(2**31))
    share = torch.tensor([rng.uniform(0.3, 0.7) for _ in range(seeds)])
    probability = share[:, None, None].expand(seeds, texts, length).clone()
    probability[:, :, :trained] = 0.9
    return (torch.rand(probability.shape, generator=draw) < probability).double()


def _unasked(rng: Random, right: Tensor, trained: int) -> Tensor:
    """Return the same, but a text is asked at some positions, one text only while trained."""
    draw = torch.Generator().manual_seed(rng.randrange(2**31))
    asked = torch.linspace(0.2, 0.8, right.shape[1])[torch.randperm(right.shape[1], generator=draw)]
    right = right.masked_fill(torch.rand(right.shape, generator=draw) > asked[:, None], math.nan)
    right[:, 0, trained:] = math.nan
    right[:, 1, trained:] = torch.arange(len(right))[:, None] % 2.0  # no seed is without an answer
    return right


def _fractions(rng: Random) -> Iterator[Case]:
    """Ask about more positions before than beyond, and fewer; a single one; one text."""
    for texts, trained, more in (
        *((24, rng.randint(9, 14), rng.randint(4, 7)), (20, rng.randint(3, 5), rng.randint(7, 9))),
        *((30, rng.randint(5, 9), 1), (1, rng.randint(4, 6), 6), (4, 1, 6)),
    ):
        right = _answers(rng, rng.randint(2, 5), texts, trained, trained + more)
        yield _fraction(right, trained)
        if texts > 9:
            yield _fraction(_unasked(rng, right, trained), trained, ", NaN at many positions")
    right = _answers(rng, 3, 12, 8, 18)
    right[:, :, :3] = right[:, ::2, rng.choice((9, 10)) :: 2] = math.nan
    yield _fraction(right, 8, ", NaN at every other position")


def _fraction(right: Tensor, trained: int, words: str = "") -> Case:
    label = f"right of shape {tuple(right.shape)}{words}, trained={trained}: the fractions"
    return Case(label, common.ask_for("fraction", right, trained))


def _counted(rng: Random, fractions: Sequence[float], trained: int) -> Tensor:
    """Return (seeds, 40, T) with these fractions right beyond `trained`, to a thousandth."""
    found = []
    for fraction in fractions:
        cells = [float(n < round(1000 * fraction)) for n in range(1000)] + [math.nan] * 1000
        found.append(torch.tensor(rng.sample(cells, len(cells)), dtype=torch.float64))
    inside = torch.ones(len(fractions), 40, trained, dtype=torch.float64)
    return torch.cat([inside, torch.stack(found).reshape(len(fractions), 40, 50)], 2)


def _verdicts(rng: Random) -> Iterator[Case]:
    drawn = [
        ("guesses", [0.12, 0.13, 0.14]),
        ("nearly all right", [0.94, 0.95, 0.96]),
        ("seeds that disagree", [0.2, 0.45, 0.7]),
        ("few right, and by one seed more", [0.01, 0.2, 0.0, 0.02]),
        *((f"{each} right by each seed", [each] * 3) for each in (0.499, 0.5, 0.501)),
        *common.near(rng, 0.5, rng.uniform(0.04, 0.06), 2),
        *common.near(rng, 0.5, rng.uniform(0.04, 0.06), rng.randint(3, 6)),
    ]
    questions = []
    for words, fractions in drawn:
        trained = rng.randint(9, 14)
        given = _counted(rng, fractions, trained), trained
        questions.append((f"{words}, beyond {trained} positions", given))
    yield from common.verdict_cases(_beyond, questions, _follows)


def _follows(said: dict[str, Any], _given: common.Given) -> str:
    fraction = common.listed(said.get("fraction"))
    return claim.settle(fraction, high=0.5) if fraction else ""


beyond = Exercise(
    "beyond",
    _beyond,
    (
        Part("the fraction of right answers, by seed", 0.25, _fractions),
        Part("the verdict, whatever was measured", 0.25, _verdicts),
    ),
    forbidden=(small.accuracy,),
    explains=("It returns a dict:",),
    generic={"`right` stays as it is": IN_PLACE},
    module=__name__,
)
