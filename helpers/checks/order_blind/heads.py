"""Unit 01, “Multi-head attention”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import (
    Answer,
    Case,
    Exercise,
    Part,
    call,
    differentiated,
    without_gradients,
)
from helpers.checks.engine.faults import NO_GRADIENT
from helpers.checks.order_blind import common, heads_large

# H, d, B and T: B = T, B = H, H = T, all three, one column for each head, one sequence, one token.
ALIKE = ((2, 3, 5, 5), (3, 2, 3, 5), (4, 2, 3, 4), (3, 2, 3, 3), (5, 1, 2, 4), (2, 3, 1, 4),
         (2, 3, 3, 1))  # fmt: skip


def _layer(
    rng: Random, heads: int, width: int, batch: int = 2, length: int = 0
) -> tuple[Tensor, list[Tensor]]:
    """x (B, T, D), and the four weights (D, D), of a size that keeps the numbers near 1."""
    x = common.normal_numbers(rng, batch, length or rng.randint(5, 7), heads * width)
    return x, [
        common.normal_numbers(rng, heads * width, heads * width) * x.shape[2] ** -0.5
        for _ in range(4)
    ]


def _heads_case(
    rng: Random, heads: int, width: int, mask: Tensor | None = None, batch: int = 2, length: int = 0
) -> Case:
    x, weights = _layer(rng, heads, width, batch, length)
    given = () if mask is None else (mask[..., : x.shape[1], : x.shape[1]],)
    shape = f", a mask {tuple(given[0].shape)}" if given else ""
    label = f"(x of shape {tuple(x.shape)}, four weights, num_heads={heads}{shape})"
    return common.finite_too(Case(label, partial(_ask_heads, x, weights, heads, given)))


def _ask_heads(
    x: Tensor, weights: list[Tensor], heads: int, given: tuple[Tensor, ...], answer: Answer
) -> Any:
    return call(x, *weights, heads, *given).ask(answer)


def _one_head(rng: Random) -> Iterator[Case]:
    x, weights = _layer(rng, 1, rng.randint(8, 10))
    label = f"(x of shape {tuple(x.shape)}, four weights, num_heads=1)"
    for order in (weights, weights[::-1]):  # the same shapes twice
        yield common.finite_too(Case(label, partial(_ask_heads, x, order, 1, ())))
    turned = [weight.T for weight in weights]  # as those of nn.Linear, which have no flat view
    label += ", with weights that are transposed tensors"
    yield common.finite_too(Case(label, partial(_ask_heads, x, turned, 1, ())))


def _several_heads(rng: Random) -> Iterator[Case]:
    yield _heads_case(rng, 3, 4)
    yield without_gradients(_heads_case(rng, 3, 4))
    yield _heads_case(rng, 2, 3, batch=2, length=rng.randint(130, 150))
    yield _heads_case(rng, 4, rng.choice([2, 3]))
    yield _heads_case(rng, 2, 3, batch=rng.randint(17, 20))
    yield _heads_case(rng, rng.randint(10, 12), 12, length=3)
    x, weights = _layer(rng, 2, 3)
    label = "(one sequence, four weights, num_heads=2)"
    yield common.finite_too(Case(label, partial(_ask_heads, x[:1], weights, 2, ())))
    label = "(sequences of one token, four weights, num_heads=2)"
    yield common.finite_too(Case(label, partial(_ask_heads, x[:, :1], weights, 2, ())))
    for heads, width, batch, length in ALIKE:
        yield _heads_case(rng, heads, width, None, batch, length)
    yield from heads_large.large_scores(rng)


def _heads_masked(rng: Random) -> Iterator[Case]:
    yield _heads_case(rng, 3, 4, torch.ones(7, 7).tril().bool())
    real = common.attention_mask(torch.tensor([rng.randint(3, 4), rng.randint(1, 2)]), 7)
    yield _heads_case(rng, 3, 4, real[:, :, :1])
    yield _heads_case(rng, 4, 3, real.flip(0)[:, :, :1])
    long = torch.ones(140, 140).tril().bool()
    yield _heads_case(rng, 2, 3, long, length=rng.randint(130, 140))
    for heads, width, batch, length in ALIKE:
        lengths = torch.tensor([rng.randint(1, length) for _ in range(batch)])
        padding = common.attention_mask(lengths, length)[:, :, :1]
        causal = common.attention_mask(torch.tensor([length]), length, causal=True)[0, 0]
        for mask in (padding, causal):
            yield _heads_case(rng, heads, width, mask, batch, length)
    yield from heads_large.hidden_scores(rng)


def _backwards(rng: Random) -> Iterator[Case]:
    x, (w_q, w_k, w_v, w_o) = _layer(rng, 1, rng.randint(8, 10))
    hides_nothing = torch.ones(x.shape[1], x.shape[1]).bool()  # who ignores it loses nothing here
    for mask in (None, hides_nothing):
        label = "" if mask is None else ", with a mask that hides nothing"
        yield differentiated(label, x=x, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o, num_heads=1, mask=mask)


heads = Exercise(
    "heads",
    common.multi_head,
    (
        Part("one head", 0.5, _one_head),
        Part("several heads", 0.5, _several_heads),
        Part("several heads and a mask", 0.5, _heads_masked),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=common.LIBRARY,
    explains=("You may use `attend(q, k, v, mask)`",),
    generic={
        "gradients must reach `x` and all four weights": NO_GRADIENT,
    },
    module=__name__,
)
