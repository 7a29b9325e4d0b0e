"""Unit 01, “Does it follow the shuffle?”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part
from helpers.checks.order_blind import common


def permutation_gap(f: common.Function, x: Tensor, order: Tensor) -> Tensor:
    """max |f(P·x) − P·f(x)|, where P moves token order[t] to position t; x (B, T, D)."""
    return (f(x[:, order]) - f(x)[:, order]).abs().max()


def _mixed(x: Tensor) -> Tensor:
    return common.mixing_sequences(x.cumsum(1))


def _simple(rng: Random) -> Iterator[Case]:
    """One follows the shuffle, two do not: nobody is right with a constant."""
    x = common.random_batch(rng)
    order = common.random_order(rng, x.shape[1])
    yield common.order_case("the square of each number", torch.square, x, order)
    yield common.order_case("x itself", lambda x: x, x, order)
    # With a sum and its negative, the largest difference is once above 0 and once below.
    last = torch.ones(x.shape[1], 1)
    last[-1] = 9.0  # so that the largest difference is due to the last token
    for scaled in common.largest_in_each(last * x):
        yield common.order_case("running sum", lambda x: x.cumsum(1), scaled, order)
    yield common.order_case("running sum from the end", common.from_behind, x, order)
    yield common.order_case("running sum, tiny", lambda x: 1e-4 * x.cumsum(1), x, order)
    yield common.order_case("sum over all sequences", _mixed, x, order)
    yield common.order_case("running sum, negative", lambda x: -x.cumsum(1), 2 * x, order)
    for x in common.batches_of_like_sizes(rng):
        order = common.random_order(rng, x.shape[1])
        yield common.order_case("running sum", lambda x: x.cumsum(1), x, order)
        if len(x) in (1, len(order)):  # it shows that somebody shuffles or repeats the sequences
            yield common.order_case("sum over all sequences", _mixed, x, order)
    yield common.exact_case("running sum", x, order)
    yield common.magnified(
        common.order_case("running sum, times 1e-6", lambda x: 1e-6 * x.cumsum(1), x, order)
    )
    x, order = common.large_batch(rng)
    yield common.order_case("a sum at the last position", common.summed_at_the_last, x, order)
    x = common.random_batch(rng)  # here the only difference is at a token that stays in place
    end = x.shape[1] - 1
    order = torch.cat([common.random_order(rng, end), torch.tensor([end])])
    yield common.order_case("a sum at the last position", common.summed_at_the_last, x, order)


def _layers(rng: Random) -> Iterator[Case]:
    x = common.random_batch(rng)
    order = common.random_order(rng, x.shape[1])
    yield common.order_case("attention", common.attention_layers(rng, 1, causal=False), x, order)
    yield common.order_case(
        "two layers of attention", common.attention_layers(rng, 2, causal=False), x, order
    )
    causal = common.attention_layers(rng, 1, causal=True)
    for scaled in common.largest_in_each(x):
        yield common.order_case("causal attention", causal, scaled, order)
    yield common.order_case("causal attention", causal, x.flip(1), order)
    yield common.order_case("causal attention, negative", lambda x: -causal(x), x, order)
    for x in common.batches_of_like_sizes(rng):
        yield common.order_case("causal attention", causal, x, common.random_order(rng, x.shape[1]))


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
