"""Unit 05: what people write instead of attention with RoPE."""

from __future__ import annotations

import math

import torch

from helpers import encodings
from helpers.checks.exercise import Mistake


def rope_values_turned_as_well(q, k, v):
    d = q.shape[-1]
    angles = torch.arange(q.shape[2])[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d)
    unit = torch.polar(torch.ones(()), angles)
    q, k, v = (
        torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * unit).flatten(-2)
        for x in (q, k, v)
    )
    return (q @ k.transpose(-2, -1) / math.sqrt(d)).softmax(-1) @ v


def rope_queries_only(q, k, v):
    rope = encodings.create("rotary", d_model=q.shape[-1])
    q, _ = rope.rotate(q, k)
    return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v


def rope_not_turned(q, k, v):
    return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v


def rope_keys_turned_the_other_way(q, k, v):
    d = q.shape[-1]
    angles = torch.arange(q.shape[2])[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d)
    unit = torch.polar(torch.ones(()), angles)
    q = torch.view_as_real(torch.view_as_complex(q.unflatten(-1, (-1, 2))) * unit).flatten(-2)
    unit = unit.conj()
    k = torch.view_as_real(torch.view_as_complex(k.unflatten(-1, (-1, 2))) * unit).flatten(-2)
    return (q @ k.transpose(-2, -1) / math.sqrt(d)).softmax(-1) @ v


def rope_layouts_mixed(q, k, v):
    d = q.shape[-1]
    q, _ = encodings.create("rotary", d_model=d).rotate(q, q)
    _, k = encodings.create("rotary", d_model=d, layout="halves").rotate(k, k)
    return (q @ k.transpose(-2, -1) / math.sqrt(d)).softmax(-1) @ v


def rope_scale_missing(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k)
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v


def rope_scale_without_the_root(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k)
    return (q @ k.transpose(-2, -1) / q.shape[-1]).softmax(-1) @ v


def rope_softmax_over_queries(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k)
    return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-2) @ v


def rope_with_a_causal_mask(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k)
    hidden = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool).triu(1)
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(hidden, float("-inf"))
    return scores.softmax(-1) @ v


def rope_turned_twice(q, k, v):
    rope = encodings.create("rotary", d_model=q.shape[-1])
    q, k = rope.rotate(*rope.rotate(q, k))
    return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v


_ATTENTION = ("attention with RoPE",)
ROPE_ATTENTION = (
    Mistake(
        rope_values_turned_as_well,
        "The values are turned as well. Position belongs in the weights; what is carried home, v, "
        "is not turned.",
        _ATTENTION,
    ),
    Mistake(
        rope_queries_only,
        "Only one of q and k is turned, so the score depends on where that token stands, not on "
        "the offset.",
        _ATTENTION,
    ),
    Mistake(
        rope_not_turned,
        "Nothing is turned here: this is attention without positions.",
        _ATTENTION,
    ),
    Mistake(
        rope_keys_turned_the_other_way,
        "Queries and keys turn in opposite directions, so the score depends on i + j. Turn both "
        "the same way: the product then compares them, and the offset is left.",
        _ATTENTION,
    ),
    Mistake(
        rope_layouts_mixed,
        "Queries and keys are turned in different layouts, so their pairs do not meet. Use one.",
        _ATTENTION,
    ),
    Mistake(
        rope_scale_missing,
        "The scores are not divided. Attention divides them by √d before the softmax.",
        _ATTENTION,
    ),
    Mistake(
        rope_scale_without_the_root,
        "The scores are divided by d. It is √d.",
        _ATTENTION,
    ),
    Mistake(
        rope_softmax_over_queries,
        "Your weights sum to 1 over the queries. Each query shares itself out over the keys, which "
        "is the last axis of the scores.",
        _ATTENTION,
    ),
    Mistake(
        rope_with_a_causal_mask,
        "Your queries see only the keys to their left. No mask is asked for here.",
        _ATTENTION,
    ),
    Mistake(
        rope_turned_twice,
        "Queries and keys are turned twice, so that every offset counts double.",
        _ATTENTION,
    ),
)
