"""Unit 01, “Scaled dot-product attention”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

from torch import Tensor

from helpers.checks.engine import DTYPE, NO_GRADIENT, Case, Exercise, Part, call, differentiated
from helpers.checks.order_blind import common


def _single(rng: Random) -> Iterator[Case]:
    q, k, v = common.queries_keys_values(rng)
    yield call(q, k, v)
    yield from _few(q, k, v)


def _few(q: Tensor, k: Tensor, v: Tensor) -> Iterator[Case]:
    """One query; one key; both; and T = S = d = e."""
    for queries, keys in ((1, k.shape[-2]), (q.shape[-2], 1), (1, 1)):
        yield call(q[..., :queries, :], k[..., :keys, :], v[..., :keys, :])
    yield call(*(each[..., :3, :3] for each in (q, k, v)))


def _batches(rng: Random) -> Iterator[Case]:
    for lead in ((rng.randint(2, 3),), (2, 3), (1,), (2, 1), (2, 3, 2)):
        yield call(*common.queries_keys_values(rng, *lead))
    yield from _few(*common.queries_keys_values(rng, 3, 3))


def _large(rng: Random) -> Iterator[Case]:
    """Scores near 150 in some rows and near −150 in others, their differences as ever.

    exp of the first is beyond float32, and 0 of the second where one maximum serves all rows.
    """
    q, k, v = common.queries_keys_values(rng, 2)
    q[..., 0], k[..., 0] = math.sqrt(q.shape[-1]), 150
    q[:, rng.randrange(q.shape[1]), 0] *= -1
    for given, words in ((q, "near 150 and −150"), (-q.abs(), "all near −150")):
        yield call(given, k, v).with_words(f" with scores {words}")


def _backwards(rng: Random) -> Iterator[Case]:
    q, k, v = common.queries_keys_values(rng, 2)
    yield differentiated(q=q, k=k, v=v)
    yield differentiated(" without a batch", q=q[0], k=k[0], v=v[0])


attention = Exercise(
    "attention",
    common.attend,
    (
        Part("one sequence", 0.5, _single),
        Part("a batch, with and without heads", 0.5, _batches),
        Part("large scores", 0.5, _large),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=common.ATTENTION,
    generic={
        "gradients must reach all three arguments": NO_GRADIENT,
        "The result has the dtype of `q`": DTYPE,
    },
    module=__name__,
)
