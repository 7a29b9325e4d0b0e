"""Five ways to compute S_ij = q_i·a_{j−i}, (B, H, T, T), that differ in memory and time.

Each takes q (B, H, T, d) and `table` (2T − 1, d), whose row r is offset r − (T − 1).
"""

from __future__ import annotations

import torch
from torch import Tensor

from helpers.encodings.offsets import offset_matrix
from helpers.encodings.offsets import skew as skew_products


def _rows(q: Tensor, table: Tensor) -> Tensor:
    length = q.shape[2]
    if table.shape != (2 * length - 1, q.shape[3]):
        raise ValueError(
            f"table has shape {tuple(table.shape)}; for T={length} it must be "
            f"({2 * length - 1}, {q.shape[3]})"
        )
    return offset_matrix(length, q.device) + length - 1  # (T, T)


def per_pair(q: Tensor, table: Tensor) -> Tensor:
    """Multiply each query with a vector for each pair and sum: B·H·T²·d numbers."""
    return (q[:, :, :, None] * table[_rows(q, table)]).sum(-1)


def einsum(q: Tensor, table: Tensor) -> Tensor:
    """Do the same without copies for B and H: T²·d numbers."""
    return torch.einsum("bhid,ijd->bhij", q, table[_rows(q, table)])


def batched(q: Tensor, table: Tensor) -> Tensor:
    """Use T products of a (B·H, d) and a (d, T) matrix (Shaw et al. 2018, section 3.3)."""
    batch, heads, length, width = q.shape
    by_query = q.permute(2, 0, 1, 3).reshape(length, batch * heads, width)
    products = by_query @ table[_rows(q, table)].transpose(1, 2)  # (T, B·H, T)
    return products.view(length, batch, heads, length).permute(1, 2, 0, 3)


def gather(q: Tensor, table: Tensor) -> Tensor:
    """Multiply each query with each offset's vector, and pick by offset."""
    rows = _rows(q, table)
    return (q @ table.T).gather(-1, rows.expand(*q.shape[:3], -1))


def skew(q: Tensor, table: Tensor) -> Tensor:
    """Pick from the same products without an index (Huang et al. 2018)."""
    return skew_products(q @ table.T)


FORMS = {form.__name__: form for form in (per_pair, einsum, batched, gather, skew)}


def flex(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    """Compute attention with Shaw's term in a fused kernel, which stores no scores; (B, H, T, d).

    It stores the products with the table, (B, H, T, 2c+1). Offsets beyond c share the outermost
    row, as in `ShawKeys`. Compile it on a GPU: uncompiled it stores all scores. On a CPU it has no
    gradient.

    Args:
        table: (2c + 1, d); row r is offset r − c.
    """
    from torch.nn.attention.flex_attention import flex_attention

    products, last = q @ table.T * q.shape[3] ** -0.5, len(table) // 2

    def add(score: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return score + products[b, h, i, (j - i).clamp(-last, last) + last]

    return flex_attention(q, k, v, score_mod=add)
