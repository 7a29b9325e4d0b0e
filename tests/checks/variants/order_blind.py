"""Unit 01, right answers written differently: each is named after its exercise."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import torch
import torch.nn.functional as F


def attention_by_loops(q, k, v):
    rows = []
    for t in range(q.shape[-2]):
        scores = (k * q[..., t : t + 1, :]).sum(-1) * k.shape[-1] ** -0.5
        weights = torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True))
        rows.append((weights[..., None] * v).sum(-2))
    return torch.stack(rows, -2)


def attention_scaled_on_both_sides(q, k, v):
    root = q.shape[-1] ** 0.25
    scores = (q / root) @ (k / root).mT
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    return weights @ v / weights.sum(-1, keepdim=True)


def masks_that_broadcast(lengths, num_tokens, causal=False):
    real = torch.arange(num_tokens)[None] < lengths.unsqueeze(1)
    mask = real.view(-1, 1, 1, num_tokens)
    if causal:
        mask = mask * torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
    return mask


def masks_in_numpy(lengths, num_tokens, causal=False):
    j = np.arange(num_tokens)
    mask = j[None, None, None, :] < np.asarray(lengths)[:, None, None, None]
    return torch.from_numpy(mask & np.tri(num_tokens, dtype=bool) if causal else mask)


def masked_with_a_large_number(q, k, v, mask=None):
    scores = q @ k.mT * q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    return F.softmax(scores, -1) @ v


def masked_and_shared_out_again(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    hidden = torch.zeros((), dtype=bool) if mask is None else ~mask
    largest = scores.masked_fill(hidden, -math.inf).max(-1, keepdim=True).values
    weights = (scores - largest).clamp(max=0).exp() * ~hidden
    return weights @ v / weights.sum(-1, keepdim=True)


def heads_with_pytorchs_attention(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    parts = [torch.stack((x @ w).chunk(num_heads, -1), 1) for w in (w_q, w_k, w_v)]
    context = F.scaled_dot_product_attention(*parts, attn_mask=mask)
    return torch.cat(context.unbind(1), -1) @ w_o


def heads_in_double_precision(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    dtype = x.dtype
    x, w_q, w_k, w_v, w_o = (each.double() for each in (x, w_q, w_k, w_v, w_o))
    d = x.shape[-1] // num_heads
    total = 0
    for h in range(num_heads):
        own = slice(h * d, (h + 1) * d)
        scores = ((x @ w_q[:, own]) @ (x @ w_k[:, own]).mT / d**0.5)[:, None]
        if mask is not None:
            scores = torch.where(mask, scores, -math.inf)
        total = total + scores[:, 0].softmax(-1) @ (x @ w_v[:, own]) @ w_o[own]
    return total.to(dtype)


def gap_by_matrix(f, x, order):
    p = torch.eye(len(order))[order]
    return torch.dist(f(p @ x), p @ f(x), p=float("inf"))


def gap_in_numpy(f, x, order):
    left, right = np.asarray(f(x[:, order])), np.asarray(f(x))
    return np.abs(left - np.take(right, np.asarray(order), axis=1)).max()


def gap_shuffled_back(f, x, order):
    back = torch.argsort(order)
    return (f(x[:, order])[:, back] - f(x)).abs().amax()


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


def prefix_in_numpy(f, x, order):
    index = np.append(np.asarray(order), x.shape[1] - 1)
    moved = torch.from_numpy(np.asarray(x)[:, index])
    return np.abs(np.asarray(f(moved))[:, -1] - np.asarray(f(x))[:, -1]).max()


def prefix_in_double_precision(f, x, order):
    x = x.double()
    moved = torch.cat((x[:, :-1].index_select(1, order), x[:, -1].unsqueeze(1)), dim=1)
    return torch.linalg.vector_norm(f(moved)[:, -1] - f(x)[:, -1], ord=float("inf"))
