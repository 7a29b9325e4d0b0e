"""Functions for relative encodings: the offsets j − i, and reading a table by offset."""

from __future__ import annotations

from typing import Any

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

    A column is added, and the same memory is read in rows that are one shorter, so that row i moves
    left by i. This needs neither an index nor a gather.

    Args:
        products: (…, T, 2T−1); column r holds offset r − (T − 1).

    Returns:
        (…, T, T): entry (i, j) is the product with offset j − i.

    Raises:
        ValueError: `products` has another number of columns.
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
        ValueError: `bias` has another number of entries.
    """
    if bias.shape[-1] != 2 * length - 1:
        raise ValueError(f"bias has {bias.shape[-1]} entries; for T={length} it must have 2T−1")
    return _Toeplitz.apply(bias, length)


class _Toeplitz(torch.autograd.Function):
    """`toeplitz` with a backward that is ten times as fast as that of `unfold`."""

    generate_vmap_rule = True

    @staticmethod
    def forward(bias: Tensor, length: int) -> Tensor:
        return bias.unfold(-1, length, 1).flip(-2)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, int], output: Tensor) -> None:
        """Save nothing: backward needs the gradient alone."""

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        length = grad.shape[-1]
        sums = grad.new_zeros(*grad.shape[:-2], 2 * length - 1)
        # A CPU is quickest in blocks of rows that fit into its cache, a GPU with all rows at once.
        block = length if grad.is_cuda else max(1, 2**17 * length // grad.numel())
        for begin in range(0, length, block):
            rows = grad[..., begin : begin + block, :]
            first = length - begin - rows.shape[-2]
            sums[..., first : 2 * length - 1 - begin] += _diagonal_sums(rows)
        return sums, None


def _diagonal_sums(rows: Tensor) -> Tensor:
    """Return the sums over j − i = r − (n − 1) for each r, (…, n, T) → (…, T + n − 1)."""
    count, length = rows.shape[-2:]
    width = length + count - 1
    skewed = rows.new_zeros(*rows.shape[:-2], count, width + 1)
    flat = skewed.flatten(-2)[..., count - 1 : count - 1 + count * width]
    flat.unflatten(-1, (count, width))[..., :length] = rows
    return skewed.sum(-2)[..., :width]
