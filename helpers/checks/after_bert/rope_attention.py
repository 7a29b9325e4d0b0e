"""Unit 05, “Attention with RoPE”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.after_bert import common
from helpers.checks.engine import Case, Exercise, Part, call


def _rope_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """softmax((R q)(R k)ᵀ/√d) v, (B, H, T, d)."""
    products = common.turned(q) @ common.turned(k).transpose(-2, -1)
    return (products / math.sqrt(q.shape[-1])).softmax(-1) @ v


def _attended(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        shape = common.random_heads(rng).shape
        # Queries twice as long: the softmax is then far from even, and a wrong axis shows.
        yield call(
            2 * common.normal_numbers(rng, *shape),
            common.normal_numbers(rng, *shape),
            common.normal_numbers(rng, *shape),
        )


rope_attention = Exercise(
    "rope_attention",
    _rope_attention,
    (Part("attention with RoPE", 1, _attended),),
)


@rope_attention.mistake(
    "The values are turned as well. Position belongs in the weights; what is carried home, v, "
    "is not turned."
)
def rope_values_turned_as_well(q, k, v):
    d = q.shape[-1]
    angles = torch.arange(q.shape[2])[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d)
    unit = torch.polar(torch.ones(()), angles)
    q, k, v = (
        torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * unit).flatten(-2)
        for x in (q, k, v)
    )
    return (q @ k.transpose(-2, -1) / math.sqrt(d)).softmax(-1) @ v


@rope_attention.mistake(
    "Only one of q and k is turned, so the score depends on where that token stands, not on "
    "the offset."
)
def rope_queries_only(q, k, v):
    rope = encodings.create("rotary", d_model=q.shape[-1])
    q, _ = rope.rotate(q, k)
    return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v


@rope_attention.mistake("Nothing is turned here: this is attention without positions.")
def rope_not_turned(q, k, v):
    return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v


@rope_attention.mistake(
    "Queries and keys turn in opposite directions, so the score depends on i + j. Turn both "
    "the same way: the product then compares them, and the offset is left."
)
def rope_keys_turned_the_other_way(q, k, v):
    d = q.shape[-1]
    angles = torch.arange(q.shape[2])[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d)
    unit = torch.polar(torch.ones(()), angles)
    q = torch.view_as_real(torch.view_as_complex(q.unflatten(-1, (-1, 2))) * unit).flatten(-2)
    unit = unit.conj()
    k = torch.view_as_real(torch.view_as_complex(k.unflatten(-1, (-1, 2))) * unit).flatten(-2)
    return (q @ k.transpose(-2, -1) / math.sqrt(d)).softmax(-1) @ v


@rope_attention.mistake(
    "Queries and keys are turned in different layouts, so their pairs do not meet. Use one."
)
def rope_layouts_mixed(q, k, v):
    d = q.shape[-1]
    q, _ = encodings.create("rotary", d_model=d).rotate(q, q)
    _, k = encodings.create("rotary", d_model=d, layout="halves").rotate(k, k)
    return (q @ k.transpose(-2, -1) / math.sqrt(d)).softmax(-1) @ v


@rope_attention.mistake(
    "The scores are not divided. Attention divides them by √d before the softmax."
)
def rope_scale_missing(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k)
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v


@rope_attention.mistake("The scores are divided by d. It is √d.")
def rope_scale_without_the_root(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k)
    return (q @ k.transpose(-2, -1) / q.shape[-1]).softmax(-1) @ v


@rope_attention.mistake(
    "Your weights sum to 1 over the queries. Each query shares itself out over the keys, which "
    "is the last axis of the scores."
)
def rope_softmax_over_queries(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k)
    return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-2) @ v


@rope_attention.mistake("Your queries see only the keys to their left. No mask is asked for here.")
def rope_with_a_causal_mask(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k)
    hidden = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool).triu(1)
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(hidden, float("-inf"))
    return scores.softmax(-1) @ v


@rope_attention.mistake("Queries and keys are turned twice, so that every offset counts double.")
def rope_turned_twice(q, k, v):
    rope = encodings.create("rotary", d_model=q.shape[-1])
    q, k = rope.rotate(*rope.rotate(q, k))
    return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v
