"""Unit 05, “Attention with RoPE”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.after_bert import common, gradients
from helpers.checks.engine import (
    Answer,
    Case,
    Exercise,
    Part,
    call,
    differentiated,
    digits,
)
from helpers.checks.engine.faults import NO_GRADIENT

ATTENTION, LARGE, BACKWARDS = "attention with RoPE", "large scores", "dtype and gradients"


def _rope_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """softmax((R q)(R k)ᵀ/√d) v, (B, H, T, d)."""
    products = common.turned(q) @ common.turned(k).transpose(-2, -1)
    return (products / math.sqrt(q.shape[-1])).softmax(-1) @ v


def _queries_keys_values(rng: Random, *shape: int) -> tuple[Tensor, Tensor, Tensor]:
    """Queries twice as long: the softmax is then far from even, and a wrong axis shows."""
    q, k, v = (common.normal_numbers(rng, *shape) for _ in range(3))
    return 2 * q, k, v


def _attended(rng: Random) -> Iterator[Case]:
    q, k, v = _queries_keys_values(rng, *common.random_heads(rng).shape)
    yield call(q, k, v)
    yield call(q.flip(0), v, 5 * k)  # the same shapes once more
    yield call(*_queries_keys_values(rng, 3, 2, rng.choice((12, 14)), rng.choice((4, 6))))
    yield call(*_queries_keys_values(rng, 1, 1, rng.randint(150, 170), 4))
    long, keys, found = _queries_keys_values(rng, 1, 1, rng.randint(520, 600), 4)
    yield call(long / 4, keys, found)
    yield call(*_queries_keys_values(rng, 4, 5, 1, 8))
    yield call(*_queries_keys_values(rng, 1, rng.randint(9, 16), 3, 2))
    yield call(*_queries_keys_values(rng, 2, rng.randint(4, 6), rng.randint(7, 9), 32))
    yield call(*_queries_keys_values(rng, 1, 2, rng.randint(70, 80), 64))
    asked = call(common.views(q), common.views(k), common.views(v))
    yield asked.labelled(f"{asked.label}, not contiguous")
    asked = call(*(common.columns_apart(each) for each in (q, k, v)))
    yield asked.labelled(f"{asked.label}, each the .mT of another tensor")


def _large(rng: Random) -> Iterator[Case]:
    """Scores near a size in some rows and near −size in others, but for what the offset does."""
    for size, dtype in ((150, torch.float32), (2000, torch.float32), (2000, torch.float64)):
        q, k, v = _queries_keys_values(rng, *common.random_heads(rng).shape)
        long = torch.zeros(q.shape[-1])
        long[-2] = math.sqrt(size) * q.shape[-1] ** 0.25  # of the last pair, which hardly turns
        q = q + long * (1 - 2 * (torch.arange(q.shape[2])[:, None] % 2))
        # Of scores near 2,000, float32 keeps but three decimals: small values hide what is lost.
        given = {"q": q, "k": k + long, "v": v * 15 / size**0.5 / 10}
        words = f"(q, k, v) in {str(dtype)[6:]} with scores near {size:,} and −{size:,}"
        yield common.never_nan(words, **{name: x.to(dtype) for name, x in given.items()})

    yield _mixed(rng)
    for few in (True, False):
        yield _apart(rng, few)


def _apart(rng: Random, few: bool) -> Case:
    """Each query has large scores of both signs.

    Two keys are near 2,000 and most near −2,000, or the other way round. The first key and, for
    most queries, the query's own are then far below the largest, and so is the mean.
    """
    q, k, v = (each.double() for each in _queries_keys_values(rng, *common.random_heads(rng).shape))
    long, length = math.sqrt(2000) * q.shape[-1] ** 0.25, q.shape[2]
    rest = [1.0, 1.0, rng.uniform(-0.8, 0.8), *[-1.0] * (length - 4)]
    levels = torch.tensor([-1.0, *rng.sample(rest, len(rest))]).double()
    q[..., -2] = long  # of the last pair, which hardly turns
    k[..., -2] = k[..., -2] / long + long * (levels if few else -levels)
    large = "2,000, and −2,000 in most columns" if few else "−2,000, and 2,000 in most columns"
    words = f"(q, k, v) in float64 with scores of {large}, in each row"
    v = v / 30
    return gradients.among_large_ones(words, _rope_attention, near=0.05, least=0.02, q=q, k=k, v=v)


def _mixed(rng: Random) -> Case:
    words = "(q, k, v) in float64 with ordinary scores in some rows and ±2,000 in others"
    q, k, v = _among_large_ones(rng)
    return gradients.among_large_ones(words, _rope_attention, near=0.05, least=0.02, q=q, k=k, v=v)


def _among_large_ones(rng: Random) -> tuple[Tensor, Tensor, Tensor]:
    """Of three queries, one has scores near 2,000, one near −2,000 and one ordinary ones."""
    q, k, v = _queries_keys_values(rng, *common.random_heads(rng).shape)
    q, k, v = q.double(), k.double(), v.double() / 30
    long = math.sqrt(2000) * q.shape[-1] ** 0.25
    k[..., -2] += long  # of the last pair, which hardly turns
    which = (torch.arange(q.shape[2]) + rng.randrange(3)) % 3
    q[..., -2] = torch.where(which == 0, 0.0, q[..., -2] + long * (3 - 2 * which))
    return q, k, v


def _of_ones(q: Tensor, k: Tensor) -> Case:
    """Whether a mean of ones is 1 in float64, whatever the weights are."""

    def ask(answer: Answer) -> Any:
        found = answer(q.clone(), k.clone(), torch.ones_like(q))
        if type(found) is not Tensor:
            return found
        exact = bool(((found - 1).abs() < 1e-12).all())
        total = "1 to fifteen digits" if exact else "1 to fewer digits"
        return {"the weights of a query add up to": total}

    return Case("(q, k, v) in float64, where v is 1 everywhere", ask)


def _backwards(rng: Random) -> Iterator[Case]:
    q, k, v = _queries_keys_values(rng, *common.random_heads(rng).shape)
    yield differentiated(in_bfloat16=False, q=q, k=k, v=v)
    yield digits("(q, k, v)", q, k, v)
    yield _of_ones(q.double(), k.double())
    words = "(q, k, v) with ordinary scores in some rows and ±2,000 in others"
    q, k, v = _among_large_ones(rng)
    yield common.reached(words, q=q, k=k, v=v)


rope_attention = Exercise(
    "rope_attention",
    _rope_attention,
    (
        Part(ATTENTION, 0.5, _attended),
        Part(LARGE, 0.25, _large),
        Part(BACKWARDS, 0.25, _backwards),
    ),
    explains=("You may use `turned`",),
    generic={
        "Gradients must reach all three": NO_GRADIENT,
    },
    module=__name__,
)
