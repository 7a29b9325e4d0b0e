"""Unit 01, order-blind: what its exercises on shuffled tokens ask and look at."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor

from helpers.checks.exercise import Answer, ArgumentChangedError, Case, Exercise, Part
from helpers.checks.mistakes import order_blind as mistakes
from helpers.checks.order_blind_attention import (
    attention,
    attention_mask,
    heads,
    masked,
    masks,
    multi_head,
    numbers,
)

__all__ = ["attention", "bag", "gap", "heads", "masked", "masks", "prefix"]

Function = Callable[[Tensor], Tensor]


def permutation_gap(f: Function, x: Tensor, order: Tensor) -> Tensor:
    """max |f(P·x) − P·f(x)|, where P puts token order[t] at place t; x (B, T, D), order (T,)."""
    return (f(x[:, order]) - f(x)[:, order]).abs().max()


def best_without_order(tokens: Tensor, answers: Tensor) -> float:
    """Largest share of the answers that a function of the bag can get right; (N, T), (N,)."""
    bags: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    rows = tokens.sort(1).values.tolist()
    for row, answer in zip(rows, answers.tolist(), strict=True):
        bags[tuple(row)][answer] += 1
    return sum(max(counts.values()) for counts in bags.values()) / len(answers)


def prefix_sensitivity(f: Function, x: Tensor, order: Tensor) -> Tensor:
    """Largest change of the last output when the tokens before it stand in `order` (T − 1,)."""
    moved = torch.cat([x[:, order], x[:, -1:]], 1)
    return (f(moved) - f(x))[:, -1].abs().max()


def _as_number(found: Any) -> Any:
    """A plain number as a tensor, so that float and tensor are equally welcome."""
    plain = type(found) in (int, float, np.float32, np.float64)
    return torch.tensor(float(found), dtype=torch.float64) if plain else found


def _probe(label: str, f: Function, x: Tensor, order: Tensor) -> Case:
    def ask(answer: Answer) -> Any:
        given, given_order = x.clone(), order.clone()
        found = _as_number(answer(f, given, given_order))
        if not (torch.equal(given, x) and torch.equal(given_order, order)):
            raise ArgumentChangedError
        return found

    return Case(f"f = {label}, x of shape {tuple(x.shape)}, order = {order.tolist()}", ask)


def _order(rng: Random, size: int) -> Tensor:
    """A permutation that moves the first, and that its inverse does not equal."""
    while True:
        order = torch.tensor(rng.sample(range(size), size))
        if order[0] and not torch.equal(order, order.argsort()):
            return order


def _input(rng: Random) -> Tensor:
    """(B, T, D) with B < D < T."""
    return numbers(rng, 3, rng.randint(7, 9), 6)


def _attends(rng: Random, layers: int, causal: bool) -> Function:
    """Layers of attention in two heads with a skip connection, for a width of 6."""
    weights = [numbers(rng, 4, 6, 6) * 6**-0.5 for _ in range(layers)]

    def f(x: Tensor) -> Tensor:
        lengths = torch.full(x.shape[:1], x.shape[1])
        mask = attention_mask(lengths, x.shape[1], causal)
        for layer in weights:
            w_q, w_k, w_v, w_o = layer.to(x.dtype)
            x = x + multi_head(x, w_q, w_k, w_v, w_o, num_heads=2, mask=mask)
        return x

    return f


def _follows(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    order = _order(rng, x.shape[1])
    yield _probe("attention", _attends(rng, 1, causal=False), x, order)
    yield _probe("two layers of attention", _attends(rng, 2, causal=False), x, order)
    yield _probe("the square of each number", torch.square, x, order)


def _does_not_follow(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    order = _order(rng, x.shape[1])
    # With a sum and its negative, the largest difference is once above 0 and once below.
    yield _probe("running sum", lambda x: x.cumsum(1), x, order)
    yield _probe("running sum, negative", lambda x: -x.cumsum(1), x, order)
    yield _probe("causal attention", _attends(rng, 1, causal=True), x, order)


gap = Exercise(
    "gap",
    permutation_gap,
    (
        Part("functions that follow the shuffle", 0.5, _follows),
        Part("functions that do not", 0.5, _does_not_follow),
    ),
    mistakes.GAP,
)


def _bag_case(label: str, rows: list[list[int]], answers: list[int]) -> Case:
    tokens, right = torch.tensor(rows), torch.tensor(answers)

    def ask(answer: Answer) -> Any:
        given, given_right = tokens.clone(), right.clone()
        found = _as_number(answer(given, given_right))
        if not (torch.equal(given, tokens) and torch.equal(given_right, right)):
            raise ArgumentChangedError
        return found

    return Case(f"{label}, {len(rows)} sequences of {len(rows[0])} tokens", ask)


def _twins(rng: Random) -> Iterator[Case]:
    """Every bag twice: the twin has another order and the other answer."""
    bags = rng.sample(list(combinations(range(9), 5)), rng.randint(10, 20))
    rows = [rng.sample(bag, 5) for bag in bags]
    twins = [row[::-1] for row in rows]
    yield _bag_case(
        "each sequence and its reverse", rows + twins, [0] * len(rows) + [1] * len(rows)
    )


def _uneven(rng: Random) -> Iterator[Case]:
    """Four bags of other sizes; two have the same set of tokens, two the same sum."""
    n, common = rng.randint(0, 5), [rng.randint(10, 12)] * rng.randint(0, 2)
    a, b, c, d = n, n + 1, n + 2, n + 3
    first, second, third = rng.sample(range(5), 3)
    more = rng.randint(0, 3)
    often = [
        *[([a, a, d], first)] * (6 + more),
        *[([a, b, c], second)] * 4,
        *[([a, d, d], third)] * 5,
        *[([b, b, c], second)] * 2,
    ]
    rng.shuffle(often)
    # Always in an order of their own, one of them at the very start, the others at the very end.
    seldom = [([d, a, a], second), ([c, b, a], first), ([d, d, a], first), ([d, d, a], second)]
    every = [*seldom[:1], *seldom[:1], *often, *seldom[1:], *seldom[1:]]
    rows, answers = [row + common for row, _ in every], [answer for _, answer in every]
    yield _bag_case("bags of different sizes", rows, answers)


bag = Exercise(
    "bag",
    best_without_order,
    (
        Part("every bag with both answers", 0.5, _twins),
        Part("bags of different sizes", 0.5, _uneven),
    ),
    mistakes.BAG,
)


def _running_mean(x: Tensor) -> Tensor:
    return x + x.cumsum(1) / torch.arange(1, x.shape[1] + 1)[:, None]


def _fading(x: Tensor, sign: float = 1.0) -> Tensor:
    """y_t = x_t + y_{t−1}/2: what stands nearer counts for more."""
    rows = [x[:, 0]]
    for t in range(1, x.shape[1]):
        rows.append(x[:, t] + rows[-1] / 2)
    return sign * torch.stack(rows, 1)


def _order_is_lost(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    order = _order(rng, x.shape[1] - 1)
    yield _probe("mean of the tokens so far", _running_mean, x, order)
    yield _probe("one layer of causal attention", _attends(rng, 1, causal=True), x, order)


def _order_counts(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    x[0] *= 3  # so that the largest change is not in the last sequence
    order = _order(rng, x.shape[1] - 1)
    yield _probe("fading sum", _fading, x, order)
    yield _probe("fading sum, negative", lambda x: _fading(x, -1.0), x, order)
    yield _probe("two layers of causal attention", _attends(rng, 2, causal=True), x, order)


prefix = Exercise(
    "prefix",
    prefix_sensitivity,
    (
        Part("functions blind to the prefix's order", 0.5, _order_is_lost),
        Part("functions that see it", 0.5, _order_counts),
    ),
    mistakes.PREFIX,
)
