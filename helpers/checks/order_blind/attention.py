"""Unit 01, “Scaled dot-product attention”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import torch
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
    module=__name__,
)
