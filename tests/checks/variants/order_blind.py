"""Unit 01, right answers written differently: loops, NumPy, matrices, other ways to count."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import torch

from tests.checks.variants import order_blind_attention as attention


def gap_by_matrix(f, x, order):
    p = torch.eye(len(order))[order]
    return torch.dist(f(p @ x), p @ f(x), p=float("inf"))


def gap_in_numpy(f, x, order):
    left, right = np.asarray(f(x[:, order])), np.asarray(f(x))
    return np.abs(left - np.take(right, np.asarray(order), axis=1)).max()


def gap_by_loop(f, x, order):
    shuffled, plain = f(x.index_select(1, order)), f(x)
    gaps = [(shuffled[:, t] - plain[:, p]).abs().max() for t, p in enumerate(order.tolist())]
    return max(gaps).item()


def gap_shuffled_back(f, x, order):
    back = torch.argsort(order)
    return (f(x[:, order])[:, back] - f(x)).abs().amax()


def gap_by_gather(f, x, order):
    index = order[None, :, None].expand_as(x)
    gaps = f(torch.gather(x, 1, index)) - torch.gather(f(x), 1, index)
    return float(torch.maximum(gaps.max(), -gaps.min()))


def bag_in_numpy(tokens, answers):
    rows, answers = np.sort(np.asarray(tokens), axis=1), np.asarray(answers)
    _, bags = np.unique(rows, axis=0, return_inverse=True)
    bags = bags.reshape(-1)
    right = sum(np.bincount(answers[bags == bag]).max() for bag in np.unique(bags))
    return right / len(answers)


def bag_by_one_hot(tokens, answers):
    counts = torch.nn.functional.one_hot(tokens).sum(1)
    _, bags = counts.unique(dim=0, return_inverse=True)
    table = torch.zeros(int(bags.max()) + 1, int(answers.max()) + 1)
    table.index_put_((bags, answers), torch.ones(len(answers)), accumulate=True)
    return table.max(1).values.sum() / len(answers)


def bag_by_counters(tokens, answers):
    bags = [frozenset(Counter(row).items()) for row in tokens.tolist()]
    pairs = Counter(zip(bags, answers.tolist(), strict=True))
    best = {}
    for (bag, _), count in pairs.items():
        best[bag] = max(best.get(bag, 0), count)
    return Fraction(sum(best.values()), len(bags))


def bag_by_loops(tokens, answers):
    right = 0
    done = []
    for row in tokens:
        bag = sorted(row.tolist())
        if bag in done:
            continue
        done.append(bag)
        same = [a for r, a in zip(tokens.tolist(), answers.tolist(), strict=True)
                if sorted(r) == bag]  # fmt: skip
        right += max(same.count(a) for a in same)
    return torch.tensor(right / len(tokens))


def prefix_by_index(f, x, order):
    whole = torch.cat([order, torch.tensor([x.shape[1] - 1])])
    return torch.max(torch.abs(f(x[:, whole])[:, -1] - f(x)[:, -1]))


def prefix_on_a_copy(f, x, order):
    moved = x.clone()
    moved[:, :-1] = x[:, order]
    return float((f(moved)[:, -1, :] - f(x)[:, -1, :]).abs().max())


def prefix_in_numpy(f, x, order):
    index = np.append(np.asarray(order), x.shape[1] - 1)
    moved = torch.from_numpy(np.asarray(x)[:, index])
    return np.abs(np.asarray(f(moved))[:, -1] - np.asarray(f(x))[:, -1]).max()


def prefix_by_stacking(f, x, order):
    tokens = [x.select(1, int(p)) for p in order] + [x.select(1, x.size(1) - 1)]
    change = f(torch.stack(tokens, dim=1)).select(1, -1) - f(x).select(1, -1)
    return max(change.max().item(), -change.min().item())


def prefix_in_double_precision(f, x, order):
    x = x.double()
    moved = torch.cat((x[:, :-1].index_select(1, order), x[:, -1].unsqueeze(1)), dim=1)
    return torch.linalg.vector_norm(f(moved)[:, -1] - f(x)[:, -1], ord=float("inf"))


VARIANTS = {
    "attention": (
        attention.attention_by_einsum,
        attention.attention_by_logarithms,
        attention.attention_by_loops,
        attention.attention_scaled_on_both_sides,
        attention.attention_in_double_precision,
    ),
    "masks": (
        attention.masks_by_loops,
        attention.masks_in_numpy,
        attention.masks_that_broadcast,
        attention.masks_from_the_forbidden,
    ),
    "masked": (
        attention.masked_with_where,
        attention.masked_by_a_difference_of_logarithms,
        attention.masked_with_a_large_number,
        attention.masked_by_adding_infinity,
        attention.masked_and_shared_out_again,
        attention.masked_by_the_allowed_keys_alone,
    ),
    "heads": (
        attention.heads_by_loop,
        attention.heads_by_einsum,
        attention.heads_as_one_large_batch,
        attention.heads_with_pytorchs_attention,
        attention.heads_in_double_precision,
    ),
    "gap": (gap_by_matrix, gap_in_numpy, gap_by_loop, gap_shuffled_back, gap_by_gather),
    "bag": (bag_in_numpy, bag_by_one_hot, bag_by_counters, bag_by_loops),
    "prefix": (
        prefix_by_index,
        prefix_on_a_copy,
        prefix_in_numpy,
        prefix_by_stacking,
        prefix_in_double_precision,
    ),
}
