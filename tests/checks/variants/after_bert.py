"""Unit 05, right answers written differently: each is named after its exercise."""

import math

import torch
import torch.nn.functional as F

from helpers import encodings


def turn_by_complex_numbers(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    angles = torch.outer(torch.arange(x.shape[2]), base ** (-torch.arange(0, d, 2) / d))
    unit = torch.polar(torch.ones_like(angles), angles)  # complex64, which the wider x widens
    if layout == "halves":
        turned = torch.complex(*(half.contiguous() for half in x.chunk(2, -1))) * unit
        return torch.cat([turned.real, turned.imag], -1)
    turned = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * unit
    return torch.view_as_real(turned).flatten(-2)


def turn_by_matrices(x, base=10_000.0, layout="interleaved"):
    d = x.shape[-1]
    turns = torch.stack([encodings.shift_matrix(-p, d, base) for p in range(x.shape[2])])
    order = torch.arange(d)
    if layout == "halves":
        order = order.view(2, -1).T.flatten()
    turned = torch.einsum("pcd,bhpd->bhpc", turns, x.double()[..., order])
    return turned[..., order.argsort()].to(x.dtype)


def rope_attention_with_the_library(q, k, v):
    at = encodings.Positions.upto(q.shape[2])
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k, at)
    return F.scaled_dot_product_attention(q, k, v)


def rope_attention_with_einsum(q, k, v):
    d = q.shape[-1]
    angles = torch.arange(q.shape[2])[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d)
    unit = torch.polar(torch.ones(()), angles)
    q, k = (torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * unit for x in (q, k))
    scores = torch.einsum("bhin,bhjn->bhij", q, k.conj()).real / d**0.5
    return torch.einsum("bhij,bhjd->bhid", scores.softmax(-1), v)


def slopes_by_recursion(num_heads):
    def of(heads):
        if math.log2(heads).is_integer():
            ratio = 2 ** (-8 / heads)
            return [ratio ** (h + 1) for h in range(heads)]
        below = 2 ** math.floor(math.log2(heads))
        return of(below) + of(2 * below)[::2][: heads - below]

    return torch.tensor(of(num_heads))


def slopes_by_exponents(num_heads):
    below = 2 ** (len(bin(num_heads)) - 3)
    h = torch.arange(1, below + 1, dtype=torch.float64)
    return torch.exp2(torch.cat([-8 * h / below, -8 * (h - 0.5) / below])[:num_heads])


def alibi_bias_by_triangles(slopes, length, form="causal"):
    steps = torch.arange(length, dtype=slopes.dtype)
    offsets = steps.expand(length, length) - steps.view(-1, 1)
    left, right = offsets.tril(), -offsets.triu()
    bias = slopes.view(-1, 1, 1) * (left + right * (2 if form == "directional" else 1))
    if form == "causal":
        bias = bias + torch.full((length, length), float("-inf")).triu(1)
    return bias


def alibi_bias_head_by_head(slopes, length, form="causal"):
    i, j = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    fall = torch.where(j > i, j - i, i - j) * (1 + (j > i) * (form == "directional"))
    bias = torch.stack([slope * -fall for slope in slopes])
    return torch.where(j > i, -torch.inf, bias) if form == "causal" else bias


def buckets_by_loop(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    found = []
    for offset in offsets.flatten().tolist():
        a = abs(offset)
        if a >= exact:
            share = math.log(a / exact) / math.log(max_distance / exact)
            a = min(exact + int(share * (side - exact)), side - 1)
        found.append(a + side if offset > 0 else a)
    return torch.tensor(found, dtype=torch.int64).view(offsets.shape)


def buckets_in_binary(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = (a.clamp(min=exact) / exact).log2() / math.log2(max_distance / exact)
    far = torch.floor_divide(share * (side - exact), 1).clamp(max=side - exact - 1) + exact
    return ((offsets > 0) * side + torch.where(a < exact, a, far)).to(torch.int64)


def buckets_by_search(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    steps = torch.arange(side - exact, dtype=torch.float64) / (side - exact)
    starts = exact * (max_distance / exact) ** steps
    a = offsets.abs()
    # The first far bucket begins at `exact` itself, whatever the last digit of the power.
    far = exact - 1 + torch.searchsorted(starts, a.double() + 1e-9, right=True)
    return torch.where(a < exact, a, far) + (offsets > 0) * side


def counted_by_differences(scores):
    gates = scores.sigmoid()
    upto = gates.cumsum(-1)
    own = upto.diagonal(dim1=-2, dim2=-1).unsqueeze(-1)
    return (own - upto + gates).tril()


def counted_from_the_total(scores):
    gates = (0.5 + (scores / 2).tanh() / 2).tril()  # the sigmoid by another name
    return (gates.sum(-1, keepdim=True) - gates.cumsum(-1) + gates).tril()


def hooks_as_lists(papers):
    needed = {"A": "rotate", "B": "bias", "C": "embed", "E": "context", "F": "rotate"}
    found = []
    for paper in papers:
        if paper in needed and needed[paper] not in found:
            found.append(needed[paper])
    return found


def hooks_as_sets(papers):
    pairs = (("rotate", "AF"), ("bias", "B"), ("embed", "C"), ("context", "E"))
    return {hook for hook, letters in pairs if set(letters) & set(papers)}
