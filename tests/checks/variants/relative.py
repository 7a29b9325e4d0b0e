"""Unit 04, right answers written differently: loops, NumPy, one-hot products, strides, sums."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from helpers.encodings import Encoding
from tests.checks.variants.relative_terms import BATCHED, GATHER, PAIRS, VALUES


def rows_by_loops(length, k):
    rows = torch.zeros(length, length, dtype=torch.long)
    for i in range(length):
        for j in range(length):
            rows[i, j] = max(-k, min(k, j - i)) + k
    return rows


def rows_in_numpy(length, k):
    p = np.arange(length)
    return torch.from_numpy(np.clip(np.subtract.outer(p, p).T, -k, k) + k)


def rows_moved_before_the_clip(length, k):
    p = torch.arange(length)
    return (p.unsqueeze(0) - p.unsqueeze(1) + k).clamp(0, 2 * k)


def rows_by_sliding_window(length, k):
    ramp = torch.arange(-(length - 1), length).clamp(-k, k) + k
    return ramp.unfold(0, length, 1).flip(0)


def rows_by_counting(length, k):
    ones = torch.ones(length, length)
    rows = sum((ones.tril(n) == 0).long() for n in range(-k, k))
    return rows + torch.zeros(length, length, dtype=torch.long)


def memory_from_shapes(B, H, T, d, k):  # noqa: N803
    shapes = {
        "per pair": (B, H, T, T, d),
        "batched": (T, T, d),
        "gather": (B, H, T, 2 * k + 1),
        "table": (2 * k + 1, d),
        "scores": (B, H, T, T),
    }
    return {name: torch.Size(shape).numel() for name, shape in shapes.items()}


def memory_in_numpy(B, H, T, d, k):  # noqa: N803
    offsets = np.arange(-k, k + 1).size
    return {
        "scores": int(np.prod([B, H, T, T])),
        "table": offsets * d,
        "gather": np.prod([B, H, T, offsets]).item(),
        "batched": int(np.prod([T, T, d])),
        "per pair": np.prod([B, H, T, T, d]).item(),
    }


def memory_of_meta_tensors(B, H, T, d, k):  # noqa: N803
    meta = torch.empty(B, H, T, T, d, device="meta")
    return {
        "per pair": meta.numel(),
        "batched": meta[0, 0].numel(),
        "gather": B * H * T * (k + 1 + k),
        "table": len(range(-k, k + 1)) * d,
        "scores": meta[..., 0].numel(),
    }


def skew_row_by_row(products):
    length = products.shape[-2]
    rows = [products[..., i, length - 1 - i : 2 * length - 1 - i] for i in range(length)]
    return torch.stack(rows, -2)


def skew_by_strides(products):
    *front, length, width = products.shape
    flat = products.contiguous()
    strides = [*flat.stride()[:-2], width - 1, 1]
    return flat.as_strided((*front, length, length), strides, flat.storage_offset() + length - 1)


def skew_by_rolling(products):
    length = products.shape[-2]
    rows = [row.roll(i - length + 1, -1) for i, row in enumerate(products.unbind(-2))]
    return torch.stack(rows, -2)[..., :length]


def skew_by_diagonals(products):
    length = products.shape[-2]
    result = torch.zeros(*products.shape[:-1], length, dtype=products.dtype)
    for offset in range(1 - length, length):
        first = max(0, -offset)
        column = products[..., first : length - max(0, offset), offset + length - 1]
        result = result + torch.diag_embed(column, offset)[..., :length, :length]
    return result


def skew_from_the_right(products):
    length, width = products.shape[-2:]
    padded = F.pad(products.flip(-2), (1, 0)).flatten(-2)
    moved = padded[..., 1 : 1 + length * (width + 1) - 1]
    moved = F.pad(moved, (0, length * (width + 2) - moved.shape[-1]))
    return moved.unflatten(-1, (length, width + 2))[..., :length].flip(-2)


class shaw_with_index_select(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len)
        self.k = k
        std = (num_heads / d_model) ** 0.5
        shape = 2 * k + 1, d_model // num_heads
        self.a_k = self.keys = nn.Parameter(torch.normal(0, std, shape))
        self.tables = nn.ParameterList([self.keys, nn.Parameter(torch.normal(0, std, shape))])
        self.values = self.tables[1]

    def of_pairs(self, table, positions):
        offsets = positions.offsets
        offsets = offsets if offsets.dim() == 2 else offsets[:, 0]
        return table[torch.clamp(offsets + self.k, 0, 2 * self.k)]

    def bias(self, q, k, positions):
        a = self.of_pairs(self.keys, positions)
        return torch.einsum("bhid,ijd->bhij" if a.dim() == 3 else "bhid,bijd->bhij", q, a)

    def context(self, weights, positions):
        a = self.of_pairs(self.values, positions)
        return torch.einsum("bhij,ijd->bhid" if a.dim() == 3 else "bhij,bijd->bhid", weights, a)


class shaw_with_one_hot_rows(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len)
        self.k = k
        for name in ("keys", "values"):
            table = torch.randn(2 * k + 1, self.head_dim) / self.head_dim**0.5
            setattr(self, name, nn.Parameter(table))

    def hot(self, positions):
        rows = positions.offsets.clip(-self.k, self.k) + self.k
        hot = F.one_hot(rows, 2 * self.k + 1).to(self.keys)
        return hot[None] if hot.dim() == 3 else hot[:, 0]

    def bias(self, q, k, positions):
        return torch.einsum("bhir,bijr->bhij", q @ self.keys.T, self.hot_for(q, positions))

    def context(self, weights, positions):
        hot = self.hot_for(weights, positions)
        return torch.einsum("bhij,bijr,rd->bhid", weights, hot, self.values)

    def hot_for(self, x, positions):
        return self.hot(positions).expand(len(x), -1, -1, -1)


class shaw_with_take_along_dim(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len)
        self.k = k
        self.register_parameter("keys", nn.Parameter(torch.empty(2 * k + 1, self.head_dim)))
        self.register_parameter("values", nn.Parameter(torch.empty(2 * k + 1, self.head_dim)))
        nn.init.normal_(self.keys, std=self.head_dim**-0.5)
        nn.init.normal_(self.values, std=self.head_dim**-0.5)

    def rows(self, positions):
        if positions.given is None:
            offsets = -positions.queries.view(-1, 1) + positions.keys
        else:
            offsets = positions.offsets
        offsets = offsets.view(-1, 1, *offsets.shape[-2:])
        return torch.minimum(torch.tensor(self.k), offsets).maximum(torch.tensor(-self.k)) + self.k

    def bias(self, q, k, positions):
        rows = self.rows(positions)
        return torch.take_along_dim(q.matmul(self.keys.t()), rows, dim=-1)

    def context(self, weights, positions):
        rows = self.rows(positions)
        parts = [
            (weights * (rows == r)).sum(-1, keepdim=True) * self.values[r]
            for r in range(2 * self.k + 1)
        ]
        return torch.stack(parts).sum(0)


class shaw_sentence_by_sentence(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len)
        self.k = k
        both = torch.randn(2, 2 * k + 1, self.head_dim).div(self.head_dim**0.5)
        self.keys, self.values = (nn.Parameter(table) for table in both)

    def rows(self, x, positions):
        offsets = positions.offsets.reshape(-1, *x.shape[2:3], x.shape[2])
        offsets = offsets.expand(len(x), -1, -1)
        return offsets.clamp(min=-self.k).clamp(max=self.k) + self.k

    def bias(self, q, k, positions):
        rows = self.rows(q, positions)
        pairs = [
            torch.einsum("hid,ijd->hij", one, self.keys[r]) for one, r in zip(q, rows, strict=True)
        ]
        return torch.stack(pairs)

    def context(self, weights, positions):
        rows = self.rows(weights, positions)
        each = [
            torch.einsum("hij,ijd->hid", w, self.values[r])
            for w, r in zip(weights, rows, strict=True)
        ]
        return torch.stack(each)


VARIANTS = {
    "rows": (
        rows_by_loops,
        rows_in_numpy,
        rows_moved_before_the_clip,
        rows_by_sliding_window,
        rows_by_counting,
    ),
    "pairs": PAIRS,
    "batched": BATCHED,
    "gather": GATHER,
    "memory": (memory_from_shapes, memory_in_numpy, memory_of_meta_tensors),
    "skew": (
        skew_row_by_row,
        skew_by_strides,
        skew_by_rolling,
        skew_by_diagonals,
        skew_from_the_right,
    ),
    "values": VALUES,
    "module": (
        shaw_with_index_select,
        shaw_with_one_hot_rows,
        shaw_with_take_along_dim,
        shaw_sentence_by_sentence,
    ),
}
