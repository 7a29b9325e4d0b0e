"""Unit 01, “What the last token knows”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part
from helpers.checks.engine.faults import IN_PLACE
from helpers.checks.order_blind import common


def prefix_sensitivity(f: common.Function, x: Tensor, order: Tensor) -> Tensor:
    """Largest change of the last output when the tokens before it stand in `order` (T − 1,)."""
    moved = torch.cat([x[:, order], x[:, -1:]], 1)
    return (f(moved) - f(x))[:, -1].abs().max()


def _running_mean(x: Tensor) -> Tensor:
    return x + x.cumsum(1) / torch.arange(1, x.shape[1] + 1)[:, None]


def _fading(x: Tensor, sign: float = 1.0) -> Tensor:
    """y_t = x_t + y_{t−1}/2: what stands nearer counts for more."""
    rows = [x[:, 0]]
    for t in range(1, x.shape[1]):
        rows.append(x[:, t] + rows[-1] / 2)
    return sign * torch.stack(rows, 1)


def _simple(rng: Random) -> Iterator[Case]:
    """One is blind to the prefix's order, the others are not: nobody is right with a constant."""
    x = common.random_batch(rng)
    order = common.random_order(rng, x.shape[1] - 1)
    yield common.order_case("mean of the tokens so far", _running_mean, x, order)
    for scaled in common.largest_in_each(x):
        yield common.order_case("fading sum", _fading, scaled, order)
    yield common.order_case("fading sum, negative", lambda x: _fading(x, -1.0), x, order)
    yield common.order_case("fading sum, tiny", lambda x: 2e-4 * _fading(x), x, order)
    mixed = common.mixing_sequences
    yield common.order_case("fading sum over all sequences", lambda x: mixed(_fading(x)), x, order)
    yield common.order_case("fading sum", _fading, x[:, :2], torch.tensor([0]))
    for x in common.batches_of_like_sizes(rng):
        order = common.random_order(rng, x.shape[1] - 1)
        yield common.order_case("fading sum", _fading, x, order)
        if len(x) == 1:  # it shows that somebody repeats the sequence
            yield common.order_case("fading sum, mixed", lambda x: mixed(_fading(x)), x, order)
    yield common.exact_case("running sum", x, order)
    yield common.magnified(
        common.order_case("fading sum, times 1e-6", lambda x: 1e-6 * _fading(x), x, order)
    )
    x, order = common.large_batch(rng)
    order = order[order < len(order) - 1]
    yield common.order_case("a sum at the last position", common.summed_at_the_last, x, order)


def _layers(rng: Random) -> Iterator[Case]:
    x = common.random_batch(rng)
    order = common.random_order(rng, x.shape[1] - 1)
    one = common.attention_layers(rng, 1, causal=True)
    two = common.attention_layers(rng, 2, causal=True)
    yield common.order_case("one layer of causal attention", one, x, order)
    for scaled in common.largest_in_each(x):
        yield common.order_case("two layers of causal attention", two, scaled, order)
    yield common.order_case("two such layers, negative", lambda x: -two(x), x, order)
    for x in common.batches_of_like_sizes(rng):
        order = common.random_order(rng, x.shape[1] - 1)
        yield common.order_case("two layers of causal attention", two, x, order)


prefix = Exercise(
    "prefix",
    prefix_sensitivity,
    (
        Part("simple functions", 0.5, _simple),
        Part("layers of causal attention", 0.5, _layers),
    ),
    generic={
        "which stays as it is": IN_PLACE,
    },
    module=__name__,
)
