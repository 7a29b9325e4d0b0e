"""Functions for relative encodings: the offsets j − i, and reading a table by offset."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def offset_matrix(length: int, device: torch.device | None = None) -> Tensor:
    """Return j − i for query i and key j, (T, T), int64: Shaw's sign, negative to the left."""
    positions = torch.arange(length, device=device)
    return positions[None, :] - positions[:, None]


def clip(offsets: Tensor, k: int) -> Tensor:
    """Return max(−k, min(k, offset)) (Shaw et al. 2018, section 3.2), in the same shape."""
    return offsets.clamp(-k, k)


def skew(products: Tensor) -> Tensor:
    """Turn columns by offset into columns by key (Huang et al. 2018, section 3.4.1).

    A column is added, so that rows have 2T numbers. Read in rows of 2T − 1 from entry T − 1 on, the
    same memory has row i begin at its column T − 1 − i, that of key 0. No gather is needed.

    Args:
        products: (…, T, 2T−1); column r holds offset r − (T − 1).

    Returns:
        (…, T, T): entry (i, j) is the product with offset j − i.

    Raises:
        ValueError: `products` has a wrong number of columns.
    """
    length, width = products.shape[-2:]
    if width != 2 * length - 1:
        raise ValueError(f"products has {width} columns; for T={length} it must have 2T−1")
    return skew_padded(F.pad(products, (0, 1)))


def skew_padded(products: Tensor) -> Tensor:
    """Return the `skew` of products that have their added column already, (…, T, 2T), as a view."""
    *_, length, width = products.shape
    start = length - 1
    shifted = products.flatten(-2)[..., start : start + length * (width - 1)]
    return shifted.unflatten(-1, (length, width - 1))[..., :length]


def toeplitz(bias: Tensor, length: int) -> Tensor:
    """Return the matrix with bias[j − i + T − 1] at (i, j), (…, 2T−1) → (…, T, T).

    Raises:
        ValueError: `bias` has a wrong number of entries.
    """
    if bias.shape[-1] != 2 * length - 1:
        raise ValueError(f"bias has {bias.shape[-1]} entries; for T={length} it must have 2T−1")
    return bias.unfold(-1, length, 1).flip(-2)
