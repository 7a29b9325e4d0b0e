"""Unit 05, right answers written differently: loops, complex numbers, einsum, float64."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from helpers import encodings
from tests.checks.variants.after_bert_bias import ALIBI_BIAS, BUCKETS, SLOPES


def turn_by_complex_numbers(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.outer(torch.arange(x.shape[2]), base ** (-torch.arange(0, d, 2) / d))
    unit = torch.polar(torch.ones_like(angles), angles)  # complex64, which the wider x widens
    if layout == "halves":
        turned = torch.complex(*(half.contiguous() for half in x.chunk(2, -1))) * unit
        return torch.cat([turned.real, turned.imag], -1)
    turned = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * unit
    return torch.view_as_real(turned).flatten(-2)


def turn_by_loops(x, base=10_000.0, layout="interleaved"):
    out = torch.empty_like(x)
    d = x.shape[-1]
    for p in range(x.shape[2]):
        for n in range(d // 2):
            first, second = (2 * n, 2 * n + 1) if layout == "interleaved" else (n, n + d // 2)
            angle = p / base ** (2 * n / d)
            a, b = x[:, :, p, first], x[:, :, p, second]
            out[:, :, p, first] = a * math.cos(angle) - b * math.sin(angle)
            out[:, :, p, second] = a * math.sin(angle) + b * math.cos(angle)
    return out


def turn_by_columns(x, base=10_000.0, layout="interleaved"):
    d = x.size(-1)
    first = torch.arange(0, d, 2) if layout == "interleaved" else torch.arange(d // 2)
    second = first + (1 if layout == "interleaved" else d // 2)
    angles = torch.arange(x.size(2), dtype=x.dtype).outer(
        torch.tensor([base ** (-2 * n / d) for n in range(d // 2)], dtype=x.dtype)
    )
    out = torch.zeros_like(x)
    out[..., first] = x[..., first] * angles.cos() - x[..., second] * angles.sin()
    out[..., second] = x[..., first] * angles.sin() + x[..., second] * angles.cos()
    return out


def turn_by_matrices(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    turns = torch.stack([encodings.shift_matrix(-p, d, base) for p in range(x.shape[2])])
    order = torch.arange(d)
    if layout == "halves":
        order = order.view(2, -1).T.flatten()
    turned = torch.einsum("pcd,bhpd->bhpc", turns, x.double()[..., order])
    return turned[..., order.argsort()].to(x.dtype)


def rope_with_the_library(q, k, v):
    at = encodings.Positions.upto(q.shape[2])
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k, at)
    return F.scaled_dot_product_attention(q, k, v)


def rope_with_einsum(q, k, v):
    d = q.shape[-1]
    angles = torch.arange(q.shape[2])[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d)
    unit = torch.polar(torch.ones(()), angles)
    q, k = (torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * unit for x in (q, k))
    scores = torch.einsum("bhin,bhjn->bhij", q, k.conj()).real / d**0.5
    return torch.einsum("bhij,bhjd->bhid", scores.softmax(-1), v)


def rope_by_offset(q, k, v):
    _, _, length, d = q.shape
    scores = torch.zeros(*q.shape[:3], length, dtype=q.dtype)
    places = torch.arange(length)
    for offset in range(1 - length, length):
        i = places[(places + offset >= 0) & (places + offset < length)]
        moved = k[:, :, i + offset] @ encodings.shift_matrix(offset, d).to(k.dtype)
        scores[:, :, i, i + offset] = (q[:, :, i] * moved).sum(-1)
    return torch.softmax(scores / math.sqrt(d), dim=-1) @ v


def rope_in_halves(q, k, v):
    d = q.shape[-1]
    order = torch.arange(d).view(-1, 2).T.flatten()
    rope = encodings.create("rotary", d_model=d, layout="halves")
    at = encodings.Positions.upto(q.shape[2])
    q, k = rope.rotate(q[..., order], k[..., order], at)
    return (q @ k.mT * d**-0.5).softmax(-1) @ v


def counted_by_loops(scores):
    gates = torch.sigmoid(scores)
    out = torch.zeros_like(scores)
    for i in range(scores.shape[-1]):
        total = 0
        for j in range(i, -1, -1):
            total = total + gates[..., i, j]
            out[..., i, j] = total
    return out


def counted_by_differences(scores):
    gates = scores.sigmoid()
    upto = gates.cumsum(-1)
    own = upto.diagonal(dim1=-2, dim2=-1).unsqueeze(-1)
    return (own - upto + gates).tril()


def counted_by_product(scores):
    gates = scores.sigmoid().tril()
    after = torch.ones_like(scores[0, 0]).tril()
    return torch.einsum("bhim,mj->bhij", gates, after).tril()


def counted_step_by_step(scores):
    gates = torch.sigmoid(scores)
    column = torch.zeros_like(gates[..., 0])
    columns = []
    for j in reversed(range(gates.size(-1))):
        # Only queries from j on have key j to their left.
        seen = torch.arange(gates.size(-1)) >= j
        column = torch.where(seen, column + gates[..., j], torch.zeros_like(column))
        columns.insert(0, column)
    return torch.stack(columns, -1)


def counted_from_the_total(scores):
    gates = (0.5 + (scores / 2).tanh() / 2).tril()  # the sigmoid by another name
    return (gates.sum(-1, keepdim=True) - gates.cumsum(-1) + gates).tril()


def hooks_as_sets(papers):
    pairs = (("rotate", "AF"), ("bias", "B"), ("embed", "C"), ("context", "E"))
    return {hook for hook, letters in pairs if set(letters) & set(papers)}


def hooks_as_lists(papers):
    needed = {"A": "rotate", "B": "bias", "C": "embed", "E": "context", "F": "rotate"}
    found = []
    for paper in papers:
        if paper in needed and needed[paper] not in found:
            found.append(needed[paper])
    return found


def hooks_by_hook(papers):
    used = {"embed": "C", "rotate": "AF", "bias": "B", "context": "E"}
    return tuple(hook for hook, by in used.items() if any(letter in by for letter in papers))


def hooks_by_cases(papers):
    hooks = ()
    if "A" in papers or "F" in papers:
        hooks += ("rotate",)
    if "B" in papers:
        hooks += ("bias",)
    if "C" in papers:
        hooks += ("embed",)
    return (*hooks, "context") if "E" in papers else hooks


VARIANTS = {
    "turn": (
        turn_by_complex_numbers,
        turn_by_loops,
        turn_by_columns,
        turn_by_matrices,
    ),
    "rope_attention": (
        rope_with_the_library,
        rope_with_einsum,
        rope_by_offset,
        rope_in_halves,
    ),
    "slopes": SLOPES,
    "alibi_bias": ALIBI_BIAS,
    "buckets": BUCKETS,
    "counted": (
        counted_by_loops,
        counted_by_differences,
        counted_by_product,
        counted_step_by_step,
        counted_from_the_total,
    ),
    "hooks": (hooks_by_hook, hooks_as_lists, hooks_as_sets, hooks_by_cases),
}
