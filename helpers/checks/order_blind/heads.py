"""Unit 01, “Multi-head attention”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks import draws
from helpers.checks.engine import NO_GRADIENT, Case, Exercise, Part, call, differentiated
from helpers.checks.order_blind import common

# H, d, B and T: all different, but for B = T, B = H, all three alike, and one sequence or token.
SIZES = ((4, 3, 2, 6), (2, 3, 5, 5), (3, 2, 3, 5), (3, 2, 3, 3), (2, 3, 1, 4), (2, 3, 3, 1))


def _layer(rng: Random, heads: int, width: int, batch: int, length: int) -> list[Tensor]:
    """x (B, T, D), and the four weights (D, D), of a size that keeps the numbers near 1."""
    size = heads * width
    weights = [draws.normal(rng, size, size) * size**-0.5 for _ in range(4)]
    return [draws.normal(rng, batch, length, size), *weights]


def _case(layer: list[Tensor], heads: int, mask: Tensor | None = None) -> Case:
    given, shape = ((), "") if mask is None else ((mask,), f", a mask {tuple(mask.shape)}")
    label = f"(x of shape {tuple(layer[0].shape)}, four weights, num_heads={heads}{shape})"
    return call(*layer, heads, *given).labelled(label)


def _one_head(rng: Random) -> Iterator[Case]:
    yield _case(_layer(rng, 1, rng.randint(8, 10), 2, 5), 1)


def _several_heads(rng: Random) -> Iterator[Case]:
    for heads, width, batch, length in SIZES:
        yield _case(_layer(rng, heads, width, batch, length), heads)


def _masked(rng: Random) -> Iterator[Case]:
    for heads, width, batch, length in SIZES:
        lengths = torch.tensor([rng.randint(1, length) for _ in range(batch)])
        padding = common.attention_mask(lengths, length)[:, :, :1]
        causal = torch.ones(length, length).tril().bool()
        for mask in (padding, causal):
            yield _case(_layer(rng, heads, width, batch, length), heads, mask)


def _backwards(rng: Random) -> Iterator[Case]:
    x, w_q, w_k, w_v, w_o = _layer(rng, 1, rng.randint(8, 10), 2, 5)
    hides_nothing = torch.ones(5, 5).bool()  # who ignores it loses nothing here
    for mask in (None, hides_nothing):
        label = "" if mask is None else ", with a mask that hides nothing"
        yield differentiated(label, x=x, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o, num_heads=1, mask=mask)


heads = Exercise(
    "heads",
    common.multi_head,
    (
        Part("one head", 0.5, _one_head),
        Part("several heads", 0.5, _several_heads),
        Part("several heads and a mask", 0.5, _masked),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=common.LIBRARY,
    explains=("You may use `attend(q, k, v, mask)`",),
    generic={"gradients must reach `x` and all four weights": NO_GRADIENT},
    module=__name__,
)
