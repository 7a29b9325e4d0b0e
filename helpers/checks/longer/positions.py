"""Unit 10, “Positions in a padded cache”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import torch
from torch import Tensor

from helpers.checks.dtypes import with_dtype
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part, call
from helpers.model.decoder import Cache


def positions_of(mask: Tensor, cached: int = 0) -> Tensor:
    """Return how many tokens stand before each new one, (B, S − cached); 0 for padding."""
    return torch.where(mask, mask.cumsum(1) - 1, 0)[:, cached:]


def _typed(mask: Tensor, *cached: int) -> Case:
    return call(mask, *cached).map(partial(with_dtype, dtypes=(torch.int64,)))


def _left(rng: Random, rows: int, width: int) -> Tensor:
    """Draw a text without padding, and others with 1 … width − 1 on the left, in any order."""
    pads = [0, *(rng.randint(1, width - 1) for _ in range(rows - 1))]
    return torch.arange(width) >= torch.tensor(rng.sample(pads, rows))[:, None]


def _padded_left(rng: Random) -> Iterator[Case]:
    yield _typed(_left(rng, rng.randint(3, 5), rng.randint(6, 9)), 0)
    yield _typed(_left(rng, rng.randint(9, 12), rng.randint(3, 6)))
    yield _typed(torch.arange(rng.randint(5, 8))[None] >= 2)  # one text
    yield _typed(torch.tensor([[True], [False], [True]]))


def _behind_a_cache(rng: Random) -> Iterator[Case]:
    """Ask with one new token and several; with padding in the cache, and a cache of padding."""
    mask = _left(rng, rng.randint(3, 5), rng.randint(7, 9))
    for cached in (mask.shape[1] - 1, rng.randint(2, 4), 1):
        yield _typed(mask, cached)
    yield _typed(torch.arange(8) >= torch.tensor([6, 2, 7])[:, None], rng.randint(3, 5))
    yield _typed(torch.zeros(2, 6, dtype=torch.bool), 4)


def _padded_elsewhere(rng: Random) -> Iterator[Case]:
    right = _left(rng, 4, rng.randint(6, 9)).flip(1)
    yield _typed(right)
    yield _typed(right, rng.randint(1, 4))
    # A prompt padded on the right, and then the tokens that a model has added.
    added = torch.cat([right, torch.ones(4, 3, dtype=torch.bool)], 1)
    yield _typed(added, right.shape[1] + rng.randint(0, 2))
    anywhere = torch.tensor([[rng.random() < 0.6 for _ in range(12)] for _ in range(5)])
    anywhere[0], anywhere[1, :2], anywhere[2, -3:] = False, False, True
    anywhere[2:4, -4], anywhere[3, 1] = False, True
    for cached in (0, rng.randint(2, 5), 11):
        yield _typed(anywhere, cached)


def _long(rng: Random) -> Iterator[Case]:
    """Ask beyond what bfloat16, float16 and integers of 8 bits can count, up to the longest."""
    for width in (rng.randint(300, 400), rng.randint(2500, 2900), 4096):
        mask = _left(rng, 2, width)
        mask[:, : width // 40], mask[:, width // 30 :] = False, True
        yield _typed(mask)
        yield _typed(mask, width - rng.randint(1, 3))


positions = Exercise(
    "positions",
    positions_of,
    (
        Part("padding on the left", 1, _padded_left),
        Part("tokens behind a cache", 1, _behind_a_cache),
        Part("padding elsewhere", 0.5, _padded_elsewhere),
        Part("long texts", 0.5, _long),
    ),
    forbidden=(Cache,),
    generic={"stays as it is": IN_PLACE},
    module=__name__,
)
