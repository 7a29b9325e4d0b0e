"""Unit 04, the key and the value term written differently."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def term_by_einsum(q, vectors, rows):
    return torch.einsum("bhid,ijd->bhij", q, vectors[rows])


def term_by_loops(q, vectors, rows):
    length = q.shape[2]
    term = q.new_zeros(*q.shape[:3], length)
    for i in range(length):
        for j in range(length):
            term[:, :, i, j] = q[:, :, i] @ vectors[rows[i, j]]
    return term


def term_through_float64(q, vectors, rows):
    pairs = vectors.double().index_select(0, rows.flatten()).unflatten(0, rows.shape)
    return torch.tensordot(q.double(), pairs, ([3], [2])).diagonal(0, 2, 3).movedim(-1, 2).to(q)


def term_query_by_query(q, vectors, rows):
    each = [q[:, :, i] @ vectors[rows[i]].T for i in range(q.shape[2])]
    return torch.stack(each, 2)


def term_by_matrix_times_vector(q, vectors, rows):
    return (vectors[rows] @ q[..., None]).squeeze(-1)


def term_by_bmm(q, vectors, rows):
    batch, heads, length, width = q.shape
    q = q.reshape(batch * heads, length, width).transpose(0, 1)
    term = torch.bmm(q, torch.movedim(vectors[rows], 2, 1))
    return term.transpose(0, 1).reshape(batch, heads, length, length)


def term_by_embedding(q, vectors, rows):
    pairs = F.embedding(rows, vectors).mT  # (T, d, T)
    return torch.einsum("bhid,idj->bhij", q, pairs)


def term_by_take_along_dim(q, vectors, rows):
    return torch.take_along_dim(q @ vectors.T, rows[None, None], dim=-1)


def term_by_two_indices(q, vectors, rows):
    products = torch.einsum("bhid,rd->bhir", q, vectors)
    return products[:, :, torch.arange(len(rows))[:, None], rows]


def term_by_one_hot(q, vectors, rows):
    hot = F.one_hot(rows, len(vectors)).to(q.dtype)  # (T, T, R)
    return torch.einsum("bhir,ijr->bhij", q @ vectors.T, hot)


def term_by_masks(q, vectors, rows):
    products = q @ vectors.T
    return sum(products[..., [r]] * (rows == r) for r in range(len(vectors)))


def value_by_index_add(weights, vectors, rows):
    by_row = torch.zeros(*weights.shape[:3], len(vectors), dtype=weights.dtype)
    for i, row in enumerate(rows):
        by_row[:, :, i] = by_row[:, :, i].index_add(-1, row, weights[:, :, i])
    return by_row @ vectors


def value_by_one_hot(weights, vectors, rows):
    hot = F.one_hot(rows, len(vectors)).to(weights.dtype)
    return torch.einsum("bhij,ijr->bhir", weights, hot) @ vectors


def value_by_masks(weights, vectors, rows):
    sums = [(weights * (rows == r)).sum(-1) for r in range(len(vectors))]
    return torch.stack(sums, -1) @ vectors


def value_query_by_query(weights, vectors, rows):
    each = [weights[:, :, i] @ vectors[rows[i]] for i in range(len(rows))]
    return torch.stack(each, dim=2)


def value_pair_by_pair(weights, vectors, rows):
    length, places = len(rows), rows.tolist()
    each = []
    for i in range(length):
        total = torch.zeros_like(weights[:, :, 0, :1]) * vectors[0]
        for j in range(length):
            total = total + weights[:, :, i, j, None] * vectors[places[i][j]]
        each.append(total)
    return torch.stack(each, 2)


def term_by_sparse_matrices(q, vectors, rows):
    products, places = q @ vectors.T, torch.arange(len(rows))  # (B, H, T, R)
    each = []
    for i, of_query in enumerate(rows):
        ones = torch.ones(len(rows), dtype=q.dtype)
        shape = (len(rows), len(vectors))
        chosen = torch.sparse_coo_tensor(torch.stack([places, of_query]), ones, shape)
        each.append(torch.sparse.mm(chosen, products[:, :, i].flatten(0, 1).T).T)
    return torch.stack(each, 1).unflatten(0, q.shape[:2])


def value_by_sparse_matrices(weights, vectors, rows):
    each, places = [], torch.arange(len(rows))
    for i, of_query in enumerate(rows):
        ones = torch.ones(len(rows), dtype=weights.dtype)
        shape = (len(vectors), len(rows))
        chosen = torch.sparse_coo_tensor(torch.stack([of_query, places]), ones, shape)
        each.append(torch.sparse.mm(chosen, weights[:, :, i].flatten(0, 1).T).T @ vectors)
    return torch.stack(each, 1).unflatten(0, weights.shape[:2])


PAIRS = (
    term_by_einsum,
    term_by_loops,
    term_through_float64,
    term_by_matrix_times_vector,
    term_by_masks,
)
BATCHED = (
    term_by_einsum,
    term_by_bmm,
    term_query_by_query,
    term_by_embedding,
    term_by_take_along_dim,
)
GATHER = (
    term_by_take_along_dim,
    term_by_two_indices,
    term_by_one_hot,
    term_by_masks,
    term_by_loops,
    term_by_sparse_matrices,
)
VALUES = (
    value_by_index_add,
    value_by_one_hot,
    value_by_masks,
    value_query_by_query,
    value_pair_by_pair,
    value_by_sparse_matrices,
)
