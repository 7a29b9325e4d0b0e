"""Unit 05, “Attention with RoPE”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks import draws
from helpers.checks.after_bert import common
from helpers.checks.engine import Case, Exercise, Part, call, differentiated, digits
from helpers.checks.engine.hints import DTYPE, NO_GRADIENT


def _rope_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Return softmax((R q)(R k)ᵀ/√d) v, (B, H, T, d)."""
    products = common.turned(q) @ common.turned(k).transpose(-2, -1)
    return (products / math.sqrt(q.shape[-1])).softmax(-1) @ v


def _drawn(rng: Random, *shape: int) -> tuple[Tensor, Tensor, Tensor]:
    """Draw queries twice as long: the softmax is then far from even, and a wrong axis shows."""
    q, k, v = (draws.normal(rng, *shape) for _ in range(3))
    return 2 * q, k, v


def _attended(rng: Random) -> Iterator[Case]:
    q, k, v = _drawn(rng, *common.random_heads(rng).shape)
    yield call(q, k, v)
    yield call(*_drawn(rng, 3, 2, rng.choice((12, 14)), rng.choice((4, 6))))
    yield call(*_drawn(rng, 4, 5, 1, 8))
    yield call(*_drawn(rng, 1, 2, rng.randint(520, 600), 4))
    yield call(*_drawn(rng, 2, 1, rng.randint(7, 9), 64))
    yield call(*map(common.transposed, (q, k, v))).with_words(", each a transposed view")


def _large(rng: Random) -> Iterator[Case]:
    """Ask with scores of one sign for each query, and with both; few keys are far above others."""
    for size, dtype in ((150, torch.float32), (2000, torch.float32), (2000, torch.float64)):
        for both in (False, True):
            q, k, v = _drawn(rng, *common.random_heads(rng).shape)
            length = q.shape[2]
            signs = [1.0, 1.0, *[-1.0] * (length - 2)] if both else [1.0] * length
            long = math.sqrt(size) * q.shape[-1] ** 0.25
            # The last pair hardly turns.
            k[..., -2] += long * torch.tensor(rng.sample(signs, length))
            q[..., -2] += long * (1 - 2 * (torch.arange(length) % 2))
            # Of scores near 2,000 float32 keeps three decimals: small values hide what is lost.
            q, k, v = (each.to(dtype) for each in (q, k, v / 30))
            words = "of both signs for each query" if both else "of one sign for each query"
            label = f"(q, k, v) in {str(dtype)[6:]} with scores near ±{size:,}, {words}"
            yield common.never_nan(label, q=q, k=k, v=v)


def _backwards(rng: Random) -> Iterator[Case]:
    q, k, v = _drawn(rng, *common.random_heads(rng).shape)
    yield differentiated(in_bfloat16=False, q=q, k=k, v=v)
    yield digits("(q, k, v)", q, k, v)


rope_attention = Exercise(
    "rope_attention",
    _rope_attention,
    (
        Part("attention with RoPE", 0.5, _attended),
        Part("large scores", 0.25, _large),
        Part("dtype and gradients", 0.25, _backwards),
    ),
    explains=("You may use `turned`",),
    generic={
        "The result has the dtype of $q$": DTYPE,
        "Gradients must reach all three": NO_GRADIENT,
    },
    module=__name__,
)
