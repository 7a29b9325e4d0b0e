"""Unit 05, right answers written differently: the slopes and the bias of ALiBi, T5's buckets."""

from __future__ import annotations

import bisect
import math

import torch


def slopes_by_recursion(num_heads):
    def of(heads):
        if math.log2(heads).is_integer():
            ratio = 2 ** (-8 / heads)
            return [ratio ** (h + 1) for h in range(heads)]
        below = 2 ** math.floor(math.log2(heads))
        return of(below) + of(2 * below)[::2][: heads - below]

    return torch.tensor(of(num_heads))


def slopes_of_the_doubled(num_heads):
    below = 1 << (num_heads.bit_length() - 1)
    doubled = torch.tensor(2.0) ** (-4 * torch.arange(1, 2 * below + 1) / below)
    return torch.cat((doubled[1::2], doubled[0::2]))[:num_heads]


def slopes_by_exponents(num_heads):
    below = 2 ** (len(bin(num_heads)) - 3)
    h = torch.arange(1, below + 1, dtype=torch.float64)
    return torch.exp2(torch.cat([-8 * h / below, -8 * (h - 0.5) / below])[:num_heads])


def slopes_by_loop(num_heads):
    below = 1
    while 2 * below <= num_heads:
        below *= 2
    slopes = torch.empty(num_heads)
    for n in range(num_heads):
        slopes[n] = 2 ** (-8 * (n + 1) / below if n < below else -4 * (2 * (n - below) + 1) / below)
    return slopes


def bias_by_loops(slopes, length, form="causal"):
    bias = slopes.new_zeros(len(slopes), length, length)
    for i in range(length):
        for j in range(length):
            fall = abs(j - i)
            if j > i and form == "directional":
                fall = 2 * fall
            if j > i and form == "causal":
                bias[:, i, j] = -math.inf
            else:
                bias[:, i, j] = -slopes * fall
    return bias


def bias_head_by_head(slopes, length, form="causal"):
    i, j = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    fall = torch.where(j > i, j - i, i - j) * (1 + (j > i) * (form == "directional"))
    bias = torch.stack([slope * -fall for slope in slopes])
    return torch.where(j > i, -torch.inf, bias) if form == "causal" else bias


def bias_by_triangles(slopes, length, form="causal"):
    steps = torch.arange(length, dtype=slopes.dtype)
    offsets = steps.expand(length, length) - steps.view(-1, 1)
    left, right = offsets.tril(), -offsets.triu()
    bias = slopes.view(-1, 1, 1) * (left + right * (2 if form == "directional" else 1))
    if form == "causal":
        bias = bias + torch.full((length, length), float("-inf")).triu(1)
    return bias


def bias_by_einsum(slopes, length, form="causal"):
    offsets = torch.arange(length)[None, :] - torch.arange(length)[:, None]
    fall = torch.where(offsets > 0, (2.0 if form == "directional" else 1.0) * offsets, -offsets)
    bias = torch.einsum("h,ij->hij", -slopes, fall.to(slopes))
    later = torch.ones(length, length, dtype=torch.bool).triu(1)
    return bias.masked_fill(later, float("-inf")) if form == "causal" else bias


def bias_counted_from_the_first_key(slopes, length, form="causal"):
    keys = torch.arange(length)
    rows = []
    for i in range(length):
        right = (keys - i).clamp(min=0)
        left = (i - keys).clamp(min=0)
        if form == "causal":
            hidden = torch.where(right > 0, -torch.inf, 0.0)
            rows.append(-slopes[:, None] * left + hidden)
        else:
            rows.append(-slopes[:, None] * (left + right * (2 if form == "directional" else 1)))
    return torch.stack(rows, 1)


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


def buckets_from_a_list(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    far = side - exact
    starts = [*range(exact), *(exact * (max_distance / exact) ** (m / far) for m in range(far))]
    flat = [
        bisect.bisect_right(starts, abs(o) + 1e-9) - 1 + (side if o > 0 else 0)
        for o in offsets.flatten().tolist()
    ]
    return torch.tensor(flat, dtype=torch.long).reshape(offsets.shape)


def buckets_in_place(offsets, num_buckets=32, max_distance=128):
    result = torch.zeros_like(offsets)
    half = num_buckets // 2
    result[offsets > 0] = half
    a = offsets.abs().float()
    quarter = half // 2
    log = torch.log(a.clamp(min=quarter)) - math.log(quarter)
    log = log * (half - quarter) / (math.log(max_distance) - math.log(quarter))
    far = torch.clamp(quarter + torch.floor(log + 1e-5), max=half - 1)
    return result + torch.where(a < quarter, a, far).to(torch.int64)


SLOPES = (slopes_by_recursion, slopes_of_the_doubled, slopes_by_exponents, slopes_by_loop)
ALIBI_BIAS = (
    bias_by_loops,
    bias_head_by_head,
    bias_by_triangles,
    bias_by_einsum,
    bias_counted_from_the_first_key,
)
BUCKETS = (
    buckets_by_loop,
    buckets_in_binary,
    buckets_by_search,
    buckets_from_a_list,
    buckets_in_place,
)
