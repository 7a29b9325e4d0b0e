"""Unit 10, “Positions in a padded cache”: what it asks, and the usual bugs.

Subtler mistakes, and those of dtype and form, are in `positions_counted`.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call
from helpers.checks.engine.faults import IN_PLACE
from helpers.checks.longer import common
from helpers.model.decoder import Cache

LEFT, CACHE = "padding on the left", "tokens behind a cache"
ELSEWHERE, LONG = "padding elsewhere", "long texts"


def positions_of(mask: Tensor, cached: int = 0) -> Tensor:
    """How many real tokens stand before each of the new ones, (B, S − cached); 0 for padding."""
    return torch.where(mask, mask.cumsum(1) - 1, 0)[:, cached:]


def _typed(mask: Tensor, cached: int = 0) -> Case:
    asked = call(mask, cached)

    def ask(answer: Answer) -> Any:
        found = asked.ask(answer)
        if not isinstance(found, Tensor):
            return found
        return {"its dtype": common.dtype(found), "the positions": found}

    return Case(asked.label, ask)


def _left(rng: Random, rows: int, width: int) -> Tensor:
    """One text without padding, and others with 1 … width − 1 on the left, in any order."""
    pads = [0, *(rng.randint(1, width - 1) for _ in range(rows - 1))]
    return torch.arange(width) >= torch.tensor(rng.sample(pads, rows))[:, None]


def _alone(rng: Random, width: int) -> Tensor:
    """One text alone, with padding on its left."""
    return torch.arange(width)[None] >= rng.randint(1, width - 2)


def _right(rng: Random, rows: int, width: int) -> Tensor:
    return _left(rng, rows, width).flip(1)


def _anywhere(rng: Random, rows: int, width: int) -> Tensor:
    drawn = [[rng.random() < 0.6 for _ in range(width)] for _ in range(rows)]
    return torch.tensor(drawn)


def _padded_left(rng: Random) -> Iterator[Case]:
    mask = _left(rng, rng.randint(3, 5), rng.randint(6, 9))
    yield _typed(mask)
    yield _typed(mask.flip(0))  # the same shape once more
    yield _typed(_left(rng, rng.randint(9, 12), rng.randint(3, 6)))
    yield _typed(_left(rng, rng.randint(66, 80), rng.randint(3, 6)))
    yield _typed(torch.ones(3, rng.randint(4, 9), dtype=torch.bool))
    yield _typed(_left(rng, 1, 5))
    yield _typed(_alone(rng, rng.randint(5, 8)))
    yield _typed(torch.ones(rng.randint(1, 3), 1, dtype=torch.bool))  # one column
    yield _typed(torch.tensor([[True], [False], [True]]))
    yield _typed(torch.zeros(1, 1, dtype=torch.bool))
    yield _typed(_left(rng, 2, rng.randint(40, 50)).T.contiguous().T)
    yield Case(*_without_cached(_left(rng, 3, rng.randint(4, 8))))


def _without_cached(mask: Tensor) -> tuple[str, Any]:
    asked = call(mask)
    return asked.label, asked.ask


def _behind_a_cache(rng: Random) -> Iterator[Case]:
    """One new token and several; padding in the cache, and a cache of padding alone."""
    for width in (rng.randint(7, 9), rng.randint(10, 14)):
        mask = _left(rng, rng.randint(3, 5), width)
        mask[:, -1] = True
        for cached in (width - 1, rng.randint(2, 4), 1, rng.randint(5, width - 2)):
            yield _typed(mask, cached)
    short = torch.arange(8) >= torch.tensor([6, 2, 7])[:, None]  # two begin after the cache
    yield _typed(short, rng.randint(3, 5))
    width = rng.randint(6, 9)
    alone = _alone(rng, width)
    for cached in (width - 1, rng.randint(1, 3)):
        yield _typed(alone, cached)
        yield _typed(torch.zeros(2, width, dtype=torch.bool), cached)


def _padded_elsewhere(rng: Random) -> Iterator[Case]:
    right = _right(rng, rng.randint(3, 5), rng.randint(6, 9))
    yield _typed(right)
    yield _typed(right, rng.randint(1, 4))
    for cached in (0, rng.randint(2, 5)):
        drawn = _anywhere(rng, rng.randint(4, 6), rng.randint(11, 14))
        drawn[0], drawn[1, :2], drawn[2, -2:] = False, False, True
        yield _typed(drawn, cached)
        yield _typed(drawn[3:4], cached)
    # A single new column, which is padding in some rows: such a text has ended before the others.
    drawn[1, -1], drawn[3, 2:4], drawn[3, -1] = True, True, False
    yield _typed(drawn, drawn.shape[1] - 1)
    yield _typed(drawn[3:4], drawn.shape[1] - 1)
    # A prompt padded on the right, and then the tokens that a model has added.
    added = torch.cat([_right(rng, 4, 6), torch.ones(4, 3, dtype=torch.bool)], 1)
    yield _typed(added, rng.choice((6, 7, 8)))
    yield _typed(torch.zeros(2, 4, dtype=torch.bool))


def _long(rng: Random) -> Iterator[Case]:
    """Beyond what bfloat16, float16 and integers of 8 bits can count, up to the longest asked for.

    Not beyond 16 bits: a right answer may make S² numbers, for which there must be memory.
    """
    for width in (rng.randint(300, 400), rng.randint(2500, 2900), 4096):
        mask = _left(rng, 2, width)
        mask[:, : width // 40], mask[:, width // 30 :] = False, True
        yield _typed(mask)
        yield _typed(mask, width - rng.randint(1, 3))
    yield _typed(torch.ones(1, 4096, dtype=torch.bool), 4096 - rng.randint(1, 3))


positions = Exercise(
    "positions",
    positions_of,
    (
        Part(LEFT, 1, _padded_left),
        Part(CACHE, 1, _behind_a_cache),
        Part(ELSEWHERE, 0.5, _padded_elsewhere),
        Part(LONG, 0.5, _long),
    ),
    forbidden=(Cache,),
    explains=("Write `positions`.",),
    generic={
        "stays as it is": IN_PLACE,
    },
    module=__name__,
)
