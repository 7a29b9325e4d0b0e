"""Unit 04, right answers written differently: each is named after its exercise."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from helpers.encodings import Encoding


def rows_in_numpy(length, k):
    p = np.arange(length)
    return torch.from_numpy(np.clip(np.subtract.outer(p, p).T, -k, k) + k)


def rows_by_sliding_window(length, k):
    ramp = torch.arange(-(length - 1), length).clamp(-k, k) + k
    return ramp.unfold(0, length, 1).flip(0)


def pairs_through_float64(q, vectors, rows):
    pairs = vectors.double().index_select(0, rows.flatten()).unflatten(0, rows.shape)
    return torch.tensordot(q.double(), pairs, ([3], [2])).diagonal(0, 2, 3).movedim(-1, 2).to(q)


def pairs_by_masks(q, vectors, rows):
    products = q @ vectors.T
    return sum(products[..., [r]] * (rows == r) for r in range(len(vectors)))


def batched_by_einsum(q, vectors, rows):
    return torch.einsum("bhid,ijd->bhij", q, vectors[rows])


def batched_query_by_query(q, vectors, rows):
    each = [q[:, :, i] @ vectors[rows[i]].T for i in range(q.shape[2])]
    return torch.stack(each, 2)


def gather_by_two_indices(q, vectors, rows):
    products = torch.einsum("bhid,rd->bhir", q, vectors)
    return products[:, :, torch.arange(len(rows))[:, None], rows]


def gather_by_one_hot(q, vectors, rows):
    hot = F.one_hot(rows, len(vectors)).to(q.dtype)  # (T, T, R)
    return torch.einsum("bhir,ijr->bhij", q @ vectors.T, hot)


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


def values_by_index_add(weights, vectors, rows):
    by_row = torch.zeros(*weights.shape[:3], len(vectors), dtype=weights.dtype)
    for i, row in enumerate(rows):
        by_row[:, :, i] = by_row[:, :, i].index_add(-1, row, weights[:, :, i])
    return by_row @ vectors


def values_query_by_query(weights, vectors, rows):
    each = [weights[:, :, i] @ vectors[rows[i]] for i in range(len(rows))]
    return torch.stack(each, dim=2)


class module_with_index_select(Encoding):
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


class module_with_take_along_dim(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len)
        self.k = k
        self.register_parameter("keys", nn.Parameter(torch.empty(2 * k + 1, self.head_dim)))
        self.register_parameter("values", nn.Parameter(torch.empty(2 * k + 1, self.head_dim)))
        nn.init.normal_(self.keys, std=self.head_dim**-0.5)
        nn.init.normal_(self.values, std=self.head_dim**-0.5)

    def rows(self, positions):
        if positions.given_offsets is None:
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
