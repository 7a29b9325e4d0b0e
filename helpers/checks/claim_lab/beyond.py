"""Unit 09, “Beyond the training”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.claim_lab import common
from helpers.checks.engine import Case, Exercise, Part
from helpers.checks.engine.faults import IN_PLACE
from helpers.claims import claim, small

FRACTION = "the fraction of right answers, by seed"
VERDICT = "the verdict, whatever was measured"


def _beyond(right: Tensor, trained: int) -> dict[str, Any]:
    """Fraction right beyond the positions trained on, by seed; is that little but guesses?"""
    fraction = right[:, :, trained:].nanmean((1, 2))
    return {"fraction": fraction, "verdict": claim.settle(fraction.tolist(), high=0.5)}


def _answers(rng: Random, seeds: int, texts: int, trained: int, length: int) -> Tensor:
    """(seeds, texts, length): mostly right at first, less often then; all positions are asked."""
    draw = torch.Generator().manual_seed(rng.randrange(2**31))
    share = torch.tensor([rng.uniform(0.3, 0.7) for _ in range(seeds)])
    probability = share[:, None, None].expand(seeds, texts, length).clone()
    probability[:, :, :trained] = 0.9
    return (torch.rand(probability.shape, generator=draw) < probability).double()


def _unasked(rng: Random, right: Tensor, trained: int) -> Tensor:
    """The same, but a text is asked at more or fewer positions, one text only while trained."""
    draw = torch.Generator().manual_seed(rng.randrange(2**31))
    asked = torch.linspace(0.2, 0.8, right.shape[1])[torch.randperm(right.shape[1], generator=draw)]
    right = right.masked_fill(torch.rand(right.shape, generator=draw) > asked[:, None], math.nan)
    right[:, 0, trained:] = math.nan
    right[:, 1, trained:] = torch.arange(len(right))[:, None] % 2.0  # no seed is without an answer
    return right


def _fractions(rng: Random) -> Iterator[Case]:
    """More positions before than beyond, and fewer; a single one; a long text; never as many."""
    for trained, more in (
        *((rng.randint(9, 14), rng.randint(4, 7)), (rng.randint(3, 5), rng.randint(7, 9))),
        *((rng.randint(5, 9), 1), (rng.randint(5, 9), 3)),
        (rng.randint(20, 24), rng.randint(14, 18)),
    ):
        seeds, texts = rng.sample((2, 3, 4, 5), 1)[0], rng.randint(20, 30)
        for words, change in (("", False), (" with NaN at many positions", True)):
            right = _answers(rng, seeds, texts, trained, trained + more)
            right = _unasked(rng, right, trained) if change else right
            label = f"right of shape {tuple(right.shape)}{words}, trained={trained}: the fractions"
            yield Case(label, common.ask_for("fraction", right, trained))
    many = rng.randint(105, 120)
    for texts, trained in ((1, rng.randint(4, 6)), (rng.randint(4, 6), 1), (3, 2), (many, 3)):
        right = _answers(rng, rng.randint(2, 4), texts, trained, trained + 6)
        label = f"right of shape {tuple(right.shape)}, trained={trained}: the fractions"
        yield Case(label, common.ask_for("fraction", right, trained))
    many = rng.randint(290, 310)
    for seeds, texts, length in ((2, many, 7), (rng.randint(7, 9), 6, 9), (2, 6, many // 2)):
        right = _answers(rng, seeds, texts, 3, length)
        label = f"right of shape {tuple(right.shape)}, trained=3: the fractions"
        yield Case(label, common.ask_for("fraction", right, 3))
    right = _answers(rng, 3, 12, 8, 18)
    right[:, ::2, rng.choice((9, 10)) :: 2] = math.nan
    label = f"right of shape {tuple(right.shape)}, NaN at every other position, trained=8"
    yield Case(f"{label}: the fractions", common.ask_for("fraction", right, 8))
    right = _answers(rng, 2, 9, 8, 17)
    right[:, :, :3] = math.nan  # as in the lesson: nothing stands three positions back
    label = f"right of shape {tuple(right.shape)}, NaN at three positions, trained=8: the fractions"
    yield Case(label, common.ask_for("fraction", right, 8))


def _counted(rng: Random, fractions: Sequence[float], trained: int, all_asked: bool) -> Tensor:
    """(seeds, texts, T) with these fractions of right answers beyond `trained`, to a thousandth."""
    texts, more = 40, 50 if not all_asked else 25
    found = []
    for fraction in fractions:
        hits = [float(n < round(1000 * fraction)) for n in range(1000)]
        cells = hits + [math.nan] * (texts * more - len(hits))
        found.append(torch.tensor(rng.sample(cells, len(cells)), dtype=torch.float64))
    inside = torch.ones(len(fractions), texts, trained, dtype=torch.float64)
    inside[:, :, : rng.randint(1, 3)] = math.nan
    return torch.cat([inside, torch.stack(found).reshape(len(fractions), texts, more)], 2)


# Of two seeds, mean + 2 s, or mean − 2 s, is less than a ten-thousandth above or below a half.
_HAIRS = (
    *([0.479, 0.490], [0.523, 0.511], [0.489, 0.477], [0.510, 0.521]),
    *([0.366, 0.436], [0.634, 0.564]),
)


def _ends(fractions: Sequence[float]) -> str:
    return f"{' and '.join(f'{each:.3f}' for each in fractions)} right"


def _beyond_verdicts(rng: Random) -> Iterator[Case]:
    seeds = rng.randint(4, 6)
    drawn = [
        ("guesses", [0.12, 0.13, 0.14]),
        ("nearly all right", [0.94, 0.95, 0.96]),
        ("seeds that disagree", [0.2, 0.45, 0.7]),
        ("few right, and by one seed more", [0.01, 0.2, 0.0, 0.02]),
        ("three seeds alike, one with more right", [0.3, 0.44, 0.3, 0.3]),
        ("three seeds alike, one with fewer right", [0.7, 0.7, 0.56, 0.7]),
        *((f"{each} right by each seed", [each] * 3) for each in (0.3, 0.499, 0.5, 0.501, 0.55)),
        *((_ends(each), each) for each in _HAIRS),
        *common.near(rng, 0.5, rng.uniform(0.04, 0.06), rng.randint(2, 3)),
        *common.near(rng, 0.5, rng.uniform(0.04, 0.06), seeds),
    ]
    questions = []
    for words, fractions in drawn:
        trained = rng.randint(9, 14)
        right = _counted(rng, fractions, trained, rng.random() < 0.3)
        label = f"{words}, beyond {trained} positions"
        verdict = str(_beyond(right, trained)["verdict"])
        questions.append(common.Question(label, (right, trained), verdict))
    yield from common.verdict_cases(questions, lambda said, _: _follows(said))


def _follows(said: dict[str, Any]) -> str:
    fraction = common.listed(said.get("fraction"))
    return claim.settle(fraction, high=0.5) if fraction else ""


beyond = Exercise(
    "beyond",
    _beyond,
    (Part(FRACTION, 0.25, _fractions), Part(VERDICT, 0.25, _beyond_verdicts)),
    forbidden=(small.accuracy,),
    explains=("Write `beyond_verdict`.", "It returns a dict:"),
    generic={
        "`right` stays as it is": IN_PLACE,
    },
    module=__name__,
)


_MEAN = "right[:, :, trained:].nanmean((1, 2))"
_ON = "settle(fraction.tolist(), high=0.5)"
