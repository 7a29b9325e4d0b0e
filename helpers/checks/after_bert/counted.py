"""Unit 05, “Positions from gates”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.after_bert import common, gradients
from helpers.checks.engine import Answer, Case, Exercise, Part, differentiated, digits
from helpers.checks.engine.case import unchanged

LEFT, RIGHT = "keys to the left", "0 to the right"
LARGE, BACKWARDS = "large scores", "dtype and gradients"
COUNTS = (LEFT, LARGE, BACKWARDS)


def _counted(scores: Tensor) -> Tensor:
    """CoPE's position of each key j ≤ i, the gates from j to i added up; 0 to the right."""
    gates = scores.sigmoid().tril()
    return gates.flip(-1).cumsum(-1).flip(-1).tril()


def _scores(rng: Random, batch: int, heads: int, length: int) -> Tensor:
    """Some queries open nearly all gates, some hardly any."""
    scores = 2 * common.normal_numbers(rng, batch, heads, length, 1)
    return scores + 2 * common.normal_numbers(rng, batch, heads, length, length)


def _shapes(rng: Random) -> Iterator[Tensor]:
    scores = _scores(rng, 2, 3, rng.randint(5, 8))
    yield scores
    yield scores.flip(-1)  # the same shape once more
    yield scores.round()  # some are 0, whose gate is half open
    yield _scores(rng, 3, 1, rng.randint(65, 70))
    yield _scores(rng, 4, 5, rng.randint(2, 3))
    yield _scores(rng, 5, 2, 5)
    yield _scores(rng, 2, 4, 4)
    yield _scores(rng, 1, 1, rng.randint(290, 310)) + 4  # most gates are open
    yield _scores(rng, 1, 2, 1)


def _left(rng: Random) -> Iterator[Case]:
    return (_one_side(scores, torch.tril, "where j ≤ i") for scores in _shapes(rng))


def _right(rng: Random) -> Iterator[Case]:
    shapes = (scores for scores in _shapes(rng) if scores.shape[-1] > 1)
    return (_one_side(scores, _right_of, "where j > i") for scores in shapes)


def _large(rng: Random) -> Iterator[Case]:
    """Gates that are open or shut for good, so that all positions are whole numbers."""
    for size, dtype in ((150, torch.float32), (1000, torch.float32), (1000, torch.float64)):
        scores = _scores(rng, 2, 3, rng.randint(6, 8)).sign().to(dtype) * size
        words = f"where j ≤ i, for scores of {size:,} and −{size:,} in {str(dtype)[6:]}"
        yield common.never_nan(words, _left_of, scores=scores)

    yield _shut(rng)
    yield _hardly_open(rng)
    yield _mixed(rng)


def _shut(rng: Random) -> Case:
    """So that a gate which is not quite shut shows in float64."""
    scores = torch.full((1, 2, rng.randint(6, 8)), -1000.0, dtype=torch.float64)
    scores = scores[..., None].expand(-1, -1, -1, scores.shape[-1]).contiguous()
    return _times(scores, 1000, "your p times 1,000 where j ≤ i, for scores of −1,000 in float64")


def _times(scores: Tensor, number: float, words: str) -> Case:
    def ask(answer: Answer) -> Any:
        given = scores.clone()
        found = _left_of(answer)(given)
        unchanged((given,), (scores,))
        return number * found

    return Case(words, ask)


def _hardly_open(rng: Random) -> Case:
    """Gates of 1e-9 to 1e-14, which float64 still tells from 0 where one adds to 1 in between."""
    shape = (1, 2, *[rng.randint(6, 8)] * 2)
    scores = -21 - 3 * common.normal_numbers(rng, *shape).abs().double()
    return _times(scores, 1e10, "your p times 10¹⁰ where j ≤ i, for scores of −21 and below")


def _mixed(rng: Random) -> Case:
    words = "where j ≤ i, for ordinary scores, some from 8 to 14 in size and some of ±1,000"
    scores = _among_large_ones(rng)
    return gradients.among_large_ones(
        words, _counted, _left_of, near=0.5, least=1e-10, scores=scores
    )


def _among_large_ones(rng: Random) -> Tensor:
    """Ordinary scores, some whose gate has hardly a slope left, and some for good."""
    scores = _scores(rng, 2, 3, rng.randint(6, 8)).double()
    which = common.normal_numbers(rng, *scores.shape)
    scores = torch.where(
        which.abs() > 0.6, scores.clamp(-8, 8), scores.sign() * (8 + 10 * which.abs())
    )
    return torch.where(which > 1.2, scores.sign() * 1000, scores)


def _one_side(scores: Tensor, cut: Callable[[Tensor], Tensor], words: str) -> Case:
    def ask(answer: Answer) -> Any:
        given = scores.clone()
        found = answer(given)
        unchanged((given, given.requires_grad), (scores, False))
        fits = isinstance(found, Tensor) and found.shape == scores.shape
        return cut(found) if fits else found

    return Case(f"{words}, scores of shape {tuple(scores.shape)}", ask)


def _right_of(positions: Tensor) -> Tensor:
    return positions.triu(1)


def _left_of(answer: Answer) -> Answer:
    """Where j ≤ i; what is 0 for certain has no gradient either."""

    def left(scores: Tensor) -> Any:
        found = answer(scores)
        return found.tril() if type(found) is Tensor else found

    return left


def _backwards(rng: Random) -> Iterator[Case]:
    scores = _scores(rng, 2, 3, rng.randint(5, 8))
    yield differentiated(", where j ≤ i", _left_of, in_bfloat16=False, scores=scores)
    one = _scores(rng, 2, 2, 1)
    yield differentiated(", where j ≤ i, for T = 1", _left_of, in_bfloat16=False, scores=one)
    yield digits("(scores), where j ≤ i", scores, of=_left_of)
    words = "where j ≤ i, for ordinary scores and some of ±1,000"
    yield common.reached(words, _left_of, scores=_among_large_ones(rng))


counted = Exercise(
    "counted",
    _counted,
    (
        Part(LEFT, 0.5, _left),
        Part(RIGHT, 0.25, _right),
        Part(LARGE, 0.25, _large),
        Part(BACKWARDS, 0.5, _backwards),
    ),
    forbidden=(encodings.Cope,),
    explains=("Write `counted`.",),
    module=__name__,
)
