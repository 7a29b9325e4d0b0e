"""Unit 05, “Positions from gates”: what it asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.after_bert import common
from helpers.checks.engine import Answer, Case, Exercise, Part, call, differentiated, digits
from helpers.checks.engine.hints import DTYPE, IN_PLACE


def _counted(scores: Tensor) -> Tensor:
    """Return CoPE's position of each key j ≤ i, the gates from j to i added up; 0 to the right."""
    gates = scores.sigmoid().tril()
    return gates.flip(-1).cumsum(-1).flip(-1).tril()


def _scores(rng: Random, batch: int, heads: int, length: int) -> Tensor:
    """Draw scores with which some queries open nearly all gates, some hardly any."""
    scores = 2 * draws.normal(rng, batch, heads, length, 1)
    return scores + 2 * draws.normal(rng, batch, heads, length, length)


def _shapes(rng: Random) -> Iterator[Tensor]:
    yield _scores(rng, 2, 3, rng.randint(5, 8))
    yield _scores(rng, 4, 5, rng.randint(2, 3))
    yield _scores(rng, 5, 2, 5)
    yield _scores(rng, 1, 1, rng.randint(290, 310)) + 4  # most gates are open
    yield _scores(rng, 1, 2, 1)


def _left(rng: Random) -> Iterator[Case]:
    return (_one_side(scores, torch.tril, "where j ≤ i") for scores in _shapes(rng))


def _right(rng: Random) -> Iterator[Case]:
    shapes = (scores for scores in _shapes(rng) if scores.shape[-1] > 1)
    return (_one_side(scores, lambda p: p.triu(1), "where j > i") for scores in shapes)


def _one_side(scores: Tensor, cut: Callable[[Tensor], Tensor], words: str) -> Case:
    def told(found: Any) -> Any:
        fits = isinstance(found, Tensor) and found.shape == scores.shape
        return cut(found) if fits else found

    return call(scores).labelled(f"{words}, scores of shape {tuple(scores.shape)}").map(told)


def _left_of(answer: Answer) -> Answer:
    """Return the answer where j ≤ i; what is 0 for certain has no gradient either."""

    def left(scores: Tensor) -> Any:
        found = answer(scores)
        return found.tril() if type(found) is Tensor else found

    return left


def _large(rng: Random) -> Iterator[Case]:
    """Gates that are open or shut for good, all of them and then some."""
    for size, dtype in ((150, torch.float32), (1000, torch.float32), (1000, torch.float64)):
        scores = _scores(rng, 2, 3, rng.randint(6, 8)).sign().to(dtype) * size
        words = f"where j ≤ i, for scores of {size:,} and −{size:,} in {str(dtype)[6:]}"
        yield common.never_nan(words, scores=scores).of(_left_of)
    scores = _scores(rng, 2, 3, rng.randint(6, 8)).double()
    some = torch.where(scores.abs() > 3, scores.sign() * 1000, scores)
    yield common.never_nan("where j ≤ i, for some scores of ±1,000", scores=some).of(_left_of)


def _backwards(rng: Random) -> Iterator[Case]:
    scores = _scores(rng, 2, 3, rng.randint(5, 8))
    yield differentiated(", where j ≤ i", in_bfloat16=False, scores=scores).of(_left_of)
    yield digits("(scores), where j ≤ i", scores).of(_left_of)


counted = Exercise(
    "counted",
    _counted,
    (
        Part("keys to the left", 0.5, _left),
        Part("0 to the right", 0.25, _right),
        Part("large scores", 0.25, _large),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(encodings.Cope,),
    generic={"The scores stay as they are": IN_PLACE, "$p$ has the dtype of the scores": DTYPE},
    module=__name__,
)
