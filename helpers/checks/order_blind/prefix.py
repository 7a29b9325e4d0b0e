"""Unit 01, “What the last token knows”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks import draws
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part
from helpers.checks.order_blind import common


def prefix_sensitivity(f: common.Function, x: Tensor, order: Tensor) -> Tensor:
    """Largest change of the last output when the tokens before it stand in `order` (T − 1,)."""
    moved = torch.cat([x[:, order], x[:, -1:]], 1)
    return (f(moved) - f(x))[:, -1].abs().max()


def _weighted(x: Tensor) -> Tensor:
    """y_t = x_0 + 2·x_1 + … + (t + 1)·x_t."""
    return (torch.arange(1, x.shape[1] + 1)[:, None] * x).cumsum(1)


def _simple(rng: Random) -> Iterator[Case]:
    """One is blind to the prefix's order, the others are not: nobody is right with a constant."""
    x = common.random_batch(rng)
    order = common.random_order(rng, x.shape[1] - 1)
    mixed = common.mixing_sequences
    yield common.order_case("running sum", lambda x: x.cumsum(1), x, order)
    yield common.order_case("weighted sum", _weighted, x, order)
    yield common.order_case("weighted sum, negative", lambda x: -_weighted(x), x, order)
    yield common.order_case("sum over all sequences", lambda x: mixed(_weighted(x)), x, order)
    yield common.order_case("weighted sum", _weighted, x[:, :2], torch.tensor([0]))
    x = draws.normal(rng, 1, 8, 6)
    yield common.order_case("weighted sum", _weighted, x, common.random_order(rng, 7))


def _layers(rng: Random) -> Iterator[Case]:
    # In long texts, the largest difference depends on the order more than in short ones.
    x = draws.normal(rng, 3, 20, 6)
    order = common.random_order(rng, x.shape[1] - 1)
    one = common.attention_layers(rng, 1, causal=True)
    two = common.attention_layers(rng, 2, causal=True)
    yield common.order_case("one layer of causal attention", one, x, order)
    yield common.order_case("two layers of causal attention", two, x, order)
    yield common.order_case("two such layers, negative", lambda x: -two(x), x, order)


prefix = Exercise(
    "prefix",
    prefix_sensitivity,
    (
        Part("simple functions", 0.5, _simple),
        Part("layers of causal attention", 0.5, _layers),
    ),
    generic={"which stays as it is": IN_PLACE},
    module=__name__,
)
