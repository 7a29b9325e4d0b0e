"""Unit 01, “Does it follow the shuffle?”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks import draws
from helpers.checks.engine import Case, Exercise, Part
from helpers.checks.order_blind import common


def permutation_gap(f: common.Function, x: Tensor, order: Tensor) -> Tensor:
    """max |f(P·x) − P·f(x)|, where P moves token order[t] to position t; x (B, T, D)."""
    return (f(x[:, order]) - f(x)[:, order]).abs().max()


def _simple(rng: Random) -> Iterator[Case]:
    """One follows the shuffle, the others do not: nobody is right with a constant."""
    x = common.random_batch(rng)
    x[:, -1] *= 5  # so that the largest difference is due to the last token
    order = common.random_order(rng, x.shape[1])
    mixed = common.mixing_sequences
    yield common.order_case("the square of each number", torch.square, x, order)
    # With a sum and its negative, the largest difference is once above 0 and once below.
    yield common.order_case("running sum", lambda x: x.cumsum(1), x, order)
    yield common.order_case("running sum, negative", lambda x: -x.cumsum(1), x, order)
    yield common.order_case("sum over all sequences", lambda x: mixed(x.cumsum(1)), x, order)
    for batch, length in ((1, 8), (6, 6)):
        x, order = draws.normal(rng, batch, length, 6), common.random_order(rng, length)
        yield common.order_case("running sum", lambda x: x.cumsum(1), x, order)


def _layers(rng: Random) -> Iterator[Case]:
    # In long texts, the largest difference depends on the order more than in short ones.
    x = draws.normal(rng, 3, 20, 6)
    order = common.random_order(rng, x.shape[1])
    blind, causal = (common.attention_layers(rng, 1, causal=causal) for causal in (False, True))
    yield common.order_case("attention", blind, x, order)
    yield common.order_case("causal attention", causal, x, order)
    yield common.order_case("causal attention, negative", lambda x: -causal(x), x, order)


gap = Exercise(
    "gap",
    permutation_gap,
    (
        Part("simple functions", 0.5, _simple),
        Part("layers of attention", 0.5, _layers),
    ),
    explains=("A proof is about formulas; a measurement also finds bugs.",),
    module=__name__,
)
