"""Unit 01, “Scaled dot-product attention”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part, call, differentiated, without_gradients
from helpers.checks.engine.faults import DTYPE, NO_GRADIENT
from helpers.checks.order_blind import common


def _single(rng: Random) -> Iterator[Case]:
    q, k, v = common.queries_keys_values(rng)
    yield common.finite_too(call(q, k, v))
    yield common.finite_too(call(v[: len(q), : q.shape[1]], k, v))  # the same shapes once more
    yield without_gradients(common.finite_too(call(q, k, v)))
    yield common.finite_too(call(*common.many_keys(rng)))
    yield common.finite_too(call(*_many_of_all(rng)))
    yield from _few(q, k, v)
    yield common.of_a_single_key(q, k, v)


def _many_of_all(rng: Random) -> Iterator[Tensor]:
    """More queries than a signed byte counts, more keys than 512, many features and values."""
    queries, keys, width = rng.randint(130, 140), rng.randint(515, 530), rng.randint(130, 150)
    for shape in ((queries, width), (keys, width), (keys, rng.randint(65, 80))):
        yield common.normal_numbers(rng, *shape)


def _few(q: Tensor, k: Tensor, v: Tensor) -> Iterator[Case]:
    """One query, one key, or both; values or queries of one number; and T = S = d = e."""
    for queries, keys in ((1, k.shape[-2]), (q.shape[-2], 1), (1, 1)):
        given = q[..., :queries, :], k[..., :keys, :], v[..., :keys, :]
        yield common.finite_too(call(*given))
    yield common.finite_too(call(q, k, v[..., :1]))
    yield common.finite_too(call(q[..., :1], k[..., :1], v))
    yield common.finite_too(call(q[..., :3, :3], k[..., :3, :3], v[..., :3, :3]))


def _batches(rng: Random) -> Iterator[Case]:
    yield common.finite_too(call(*common.queries_keys_values(rng, rng.randint(2, 3))))
    yield common.finite_too(call(*common.queries_keys_values(rng, 2, rng.randint(13, 14))))
    yield common.finite_too(call(*common.queries_keys_values(rng, rng.randint(17, 20))))
    yield common.finite_too(call(*common.queries_keys_values(rng, 2, 3, 2)))
    q, k, v = common.queries_keys_values(rng, rng.randint(2, 4))
    yield common.finite_too(call(q[:, :1], k, v))
    for lead in ((1,), (1, 3), (2, 1), (1, 1)):
        yield common.finite_too(call(*common.queries_keys_values(rng, *lead)))
    square = common.normal_numbers(rng, 2, rng.randint(9, 12), 5)
    yield common.finite_too(call(square, square.flip(1), square))
    yield from _few(*common.queries_keys_values(rng, 2))
    yield from _few(*common.queries_keys_values(rng, 3, 3))
    q, k, v = common.many_keys(rng, 2)
    yield common.finite_too(call(k, q, v[:, :3]))  # many queries
    yield common.finite_too(call(q, k, v))


def _large(rng: Random) -> Iterator[Case]:
    """Scores near 150 in some rows and near −150 in others, their differences as ever.

    exp of the first is beyond float32, and 0 of the second where one maximum serves all rows.
    """
    q, k, v = common.queries_keys_values(rng, 2)
    q[..., 0], k[..., 0] = math.sqrt(q.shape[-1]), 150
    q[:, rng.randrange(q.shape[1]), 0] *= -1
    case = call(q, k, v)
    yield common.finite_too(case.labelled(case.label + " with scores near 150 and −150"))
    mild = q.clone()
    mild[..., 0] = q[..., 0].clamp(min=-0.13 * math.sqrt(q.shape[-1]))
    case = call(mild, k, v)
    yield common.finite_too(case.labelled(case.label + " with scores near 150 and −20"))
    case = call(-q.abs(), k, v)
    yield common.finite_too(case.labelled(case.label + " with all scores near −150"))
    k = k.clone()  # the cases above keep their own
    k[..., 0] = 0
    k[:, rng.randrange(k.shape[1]), 0] = 250
    case = call(q, k, v)
    yield common.finite_too(case.labelled(case.label + " with one key's scores near 250 or −250"))
    k = k.clone()
    k[..., 0] = 20_000 * (torch.tensor(rng.sample(range(k.shape[1]), k.shape[1])) - 2)
    case = call(q, k, v)
    yield common.finite_too(case.labelled(case.label + " with scores from −60,000 to 60,000"))
    case = call(q.abs(), -k.abs() - 20_000, v)
    yield common.finite_too(case.labelled(case.label + " with all scores below −20,000"))
    case = call(q, 10 * k, v)
    yield common.finite_too(case.labelled(case.label + " with scores from −600,000 to 600,000"))


def _backwards(rng: Random) -> Iterator[Case]:
    q, k, v = common.queries_keys_values(rng, 2)
    yield differentiated(q=q, k=k, v=v)
    yield differentiated(" without a batch", q=q[0], k=k[0], v=v[0])
    q, k, v = common.queries_keys_values(rng, 2, 2)
    yield differentiated(" with heads", q=q, k=k, v=v)


attention = Exercise(
    "attention",
    common.attend,
    (
        Part("one sequence", 0.5, _single),
        Part("a batch, with and without heads", 0.5, _batches),
        Part("large scores", 0.5, _large),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=common.ATTENTION,
    explains=("Write `attention`.",),
    generic={
        "gradients must reach all three arguments": NO_GRADIENT,
        "The result has the dtype of `q`": DTYPE,
    },
)


@attention.mistake(
    "The scale is missing: your scores grow with the width of a query, and the softmax of "
    "large scores puts nearly all the weight on one key.",
    breaks="softmax(q·kᵀ/√d)·v",
)
def attention_without_scale(q, k, v):
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v


@attention.mistake(
    "Your scores are divided by d; the formula divides by √d. Did you scale both q and k, and so "
    "the product twice?"
)
def attention_divided_by_d(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[-1]).softmax(-1) @ v


@attention.mistake(
    "You multiply by √d where the formula divides: scores of wide vectors should get smaller."
)
def attention_multiplied_by_root_d(q, k, v):
    return (q @ k.transpose(-2, -1) * q.shape[-1] ** 0.5).softmax(-1) @ v


@attention.mistake(
    "You scale by the number of keys. A score is a sum over the features of a query, and it is "
    "their number that makes it large.",
    breaks="There are $T$ queries and $S$ keys",
)
def attention_scaled_by_the_number_of_keys(q, k, v):
    return (q @ k.transpose(-2, -1) / k.shape[-2] ** 0.5).softmax(-1) @ v


@attention.mistake(
    "You scale by the width of the values, e. They take no part in the scores; the width of "
    "queries and keys is d.",
    breaks="`q` is $(\\dots, T, d)$",
)
def attention_scaled_by_the_width_of_the_values(q, k, v):
    return (q @ k.transpose(-2, -1) / v.shape[-1] ** 0.5).softmax(-1) @ v


@attention.mistake(
    "You divide the weights, or the average, and not the scores, so that a query's weights no "
    "longer add up to 1. Scale before the softmax."
)
def attention_scaled_after_the_softmax(q, k, v):
    return (q @ k.transpose(-2, -1)).softmax(-1) / q.shape[-1] ** 0.5 @ v


@attention.mistake(
    "Your softmax runs over the queries, so the weights of each key sum to 1. The weights of "
    "each *query* should sum to 1: take the softmax over the keys."
)
def attention_softmax_over_queries(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-2) @ v


@attention.mistake(
    "Axis 1 of the scores holds the keys only if there is no batch axis. Count from the end: "
    "the keys are always the last axis.",
    loses=("a batch, with and without heads", "large scores", "dtype and gradients"),
)
def attention_softmax_over_axis_1(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(1) @ v


@attention.mistake(
    "Without dim, PyTorch guesses the softmax's axis from the number of axes, and for a batch "
    "of sequences it picks the batch axis. Tell it to use the last one.",
    loses=("a batch, with and without heads", "large scores", "dtype and gradients"),
)
def attention_softmax_without_an_axis(q, k, v):
    return F.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5) @ v


@attention.mistake(
    "Axis 1 of q has size d only if there is no batch axis. Count from the end: d is the size "
    "of the last axis.",
    loses=("a batch, with and without heads", "large scores", "dtype and gradients"),
)
def attention_scaled_by_axis_1(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[1] ** 0.5).softmax(-1) @ v


@attention.mistake(
    "You weight the values by the raw scores. Attention weights are positive and sum to 1: a step "
    "is missing between the two."
)
def attention_without_softmax(q, k, v):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 @ v


@attention.mistake(
    "You return the weights, (T, S). Attention returns the average of the values with those "
    "weights.",
    breaks="the result is",
)
def attention_returns_the_weights(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1)


@attention.mistake(
    "k.T reverses all axes, the batch axis included. Only the last two should be swapped.",
    loses=("a batch, with and without heads", "large scores", "dtype and gradients"),
    breaks="The dots stand for any number of leading axes",
)
def attention_transposes_every_axis(q, k, v):
    return (q @ k.permute(*range(k.dim() - 1, -1, -1)) / q.shape[-1] ** 0.5).softmax(-1) @ v


@attention.mistake(
    "A batch of one sequence loses its axis in your result. squeeze drops every axis of length 1: "
    "leave the axes as they are, or say which one you mean.",
    loses="a batch, with and without heads",
)
def attention_without_the_batch_of_one(q, k, v):
    found = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v
    return found.squeeze(0) if q.dim() > 2 else found


@attention.mistake(
    "exp(150) is too large for float32. A softmax does not change when the same number is "
    "subtracted from all scores of a query; torch's softmax makes use of that.",
    loses="large scores",
    breaks="Scores may be so large that exp overflows",
)
def attention_exp_overflows(q, k, v):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


@attention.mistake(
    "You subtract the largest of all scores. For a query whose scores are far below it, every "
    "exponential is about exp(−300) = 0. Each query needs its own maximum.",
    loses="large scores",
)
def attention_with_one_maximum_for_all(q, k, v):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = (scores - scores.max()).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


@attention.mistake(
    "You subtract the largest absolute value of a query's scores, not the largest score. Where "
    "all scores are near −150, that is 150, and every exponential is about exp(−300) = 0.",
    loses="large scores",
)
def attention_with_the_largest_size(q, k, v):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = (scores - scores.abs().amax(-1, keepdim=True)).exp()
    return weights / weights.sum(-1, keepdim=True) @ v
