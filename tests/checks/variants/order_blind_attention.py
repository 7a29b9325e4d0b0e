"""Unit 01, attention and masks written differently: loops, NumPy, einsum, float64."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F


def attention_by_einsum(q, k, v):
    scores = torch.einsum("...td,...sd->...ts", q, k) / math.sqrt(q.size(-1))
    return torch.einsum("...ts,...se->...te", F.softmax(scores, dim=-1), v)


def attention_by_logarithms(q, k, v):
    scores = torch.einsum("...td,...sd->...ts", q, k).div(math.sqrt(k.size(-1)))
    return scores.log_softmax(-1).exp().matmul(v)


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


def attention_in_double_precision(q, k, v):
    dtype = q.dtype
    q, k, v = q.double(), k.double(), v.double()
    found = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5, -1) @ v
    return found.to(dtype)


def masks_by_loops(lengths, num_tokens, causal=False):
    mask = torch.zeros(len(lengths), 1, num_tokens, num_tokens, dtype=torch.bool)
    for b, length in enumerate(lengths):
        for i in range(num_tokens):
            for j in range(num_tokens):
                mask[b, 0, i, j] = j < length and (j <= i or not causal)
    return mask


def masks_in_numpy(lengths, num_tokens, causal=False):
    j = np.arange(num_tokens)
    mask = j[None, None, None, :] < np.asarray(lengths)[:, None, None, None]
    return torch.from_numpy(mask & np.tri(num_tokens, dtype=bool) if causal else mask)


def masks_that_broadcast(lengths, num_tokens, causal=False):
    real = torch.arange(num_tokens)[None] < lengths.unsqueeze(1)
    mask = real.view(-1, 1, 1, num_tokens)
    if causal:
        mask = mask * torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
    return mask


def masks_from_the_forbidden(lengths, num_tokens, causal=False):
    hidden = torch.zeros(len(lengths), 1, num_tokens, num_tokens, dtype=torch.bool)
    for row, length in zip(hidden, lengths.tolist(), strict=True):
        row[..., length:] = True
    if causal:
        hidden = hidden.logical_or(torch.ones(num_tokens, num_tokens).triu(1).bool())
    return hidden.logical_not()


def masked_by_a_difference_of_logarithms(q, k, v, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return (scores - scores.logsumexp(-1, keepdim=True)).exp() @ v


def masked_with_where(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(k.shape[-1])
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(float("-inf")))
    return torch.matmul(torch.softmax(scores, dim=-1), v)


def masked_with_a_large_number(q, k, v, mask=None):
    scores = q @ k.mT * q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    return F.softmax(scores, -1) @ v


def masked_by_adding_infinity(q, k, v, mask=None):
    bias = 0
    if mask is not None:
        bias = torch.zeros(mask.shape).masked_fill_(mask.logical_not(), -math.inf)
    return (torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5 + bias).softmax(-1) @ v


def masked_and_shared_out_again(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    hidden = torch.zeros((), dtype=bool) if mask is None else ~mask
    largest = scores.masked_fill(hidden, -math.inf).max(-1, keepdim=True).values
    weights = (scores - largest).clamp(max=0).exp() * ~hidden
    return weights @ v / weights.sum(-1, keepdim=True)


def masked_by_the_allowed_keys_alone(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        return F.softmax(scores, -1) @ v
    lowest = torch.finfo(scores.dtype).min
    return F.softmax(torch.where(mask.expand_as(scores), scores, lowest), -1) @ v


def heads_by_loop(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    d = x.shape[-1] // num_heads
    hidden = None if mask is None else ~mask.expand(len(x), 1, x.shape[1], x.shape[1])[:, 0]
    outputs = []
    for h in range(num_heads):
        own = slice(h * d, (h + 1) * d)
        q, k, v = x @ w_q[:, own], x @ w_k[:, own], x @ w_v[:, own]
        scores = q @ k.transpose(1, 2) / math.sqrt(d)
        if hidden is not None:
            scores = scores.masked_fill(hidden, -math.inf)
        outputs.append(scores.softmax(-1) @ v)
    return torch.cat(outputs, -1) @ w_o


def heads_by_einsum(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    width = x.shape[-1]
    q, k, v = (torch.einsum("btc,chd->bhtd", x, w.view(width, num_heads, -1))
               for w in (w_q, w_k, w_v))  # fmt: skip
    scores = torch.einsum("bhid,bhjd->bhij", q, k) / (width / num_heads) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    context = torch.einsum("bhij,bhjd->bihd", scores.softmax(-1), v)
    return context.reshape(x.shape) @ w_o


def heads_as_one_large_batch(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    b, t, width = x.shape
    d = width // num_heads

    def split(y):
        return y.reshape(b, t, num_heads, d).permute(0, 2, 1, 3).reshape(b * num_heads, t, d)

    scores = torch.bmm(split(x @ w_q), split(x @ w_k).transpose(1, 2)) / math.sqrt(d)
    if mask is not None:
        hidden = ~mask.expand(b, num_heads, t, t).reshape(-1, t, t)
        scores = scores.masked_fill(hidden, -math.inf)
    context = torch.bmm(scores.softmax(-1), split(x @ w_v))
    return context.reshape(b, num_heads, t, d).transpose(1, 2).reshape(b, t, width) @ w_o


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
