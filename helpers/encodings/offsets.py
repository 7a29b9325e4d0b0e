"""What relative encodings share: the offset j − i of every pair, and tables read by it."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def offset_matrix(length: int, device: torch.device | None = None) -> Tensor:
    """j − i for query i and key j, (T, T), int64: Shaw's sign, negative to the left."""
    positions = torch.arange(length, device=device)
    return positions[None, :] - positions[:, None]


def clip(offsets: Tensor, k: int) -> Tensor:
    """max(−k, min(k, offset)) (Shaw et al. 2018, section 3.2), the same shape."""
    return offsets.clamp(-k, k)


def skew(products: Tensor) -> Tensor:
    """From "query i, offset r" to "query i, key j" (Huang et al. 2018, section 3.4.1).

    Pads one column and reads the same memory with rows one shorter, so that row i moves left
    by i: no index and no gather.

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
    """`skew` of (…, T, 2T), whose last column is never read: nothing is copied."""
    *_, length, width = products.shape
    start = length - 1
    shifted = products.flatten(-2)[..., start : start + length * (width - 1)]
    return shifted.unflatten(-1, (length, width - 1))[..., :length]


def toeplitz(bias: Tensor, length: int) -> Tensor:
    """A number per offset as a matrix, without an index; (…, 2T−1) → (…, T, T).

    Args:
        bias: entry r is that of offset r − (T − 1).

    Raises:
        ValueError: `bias` has another number of entries.
    """
    if bias.shape[-1] != 2 * length - 1:
        raise ValueError(f"bias has {bias.shape[-1]} entries; for T={length} it must have 2T−1")
    return _Toeplitz.apply(bias, length)


class _Toeplitz(torch.autograd.Function):
    """The matrix; backward sums along its diagonals, ten times as fast as that of `unfold`."""

    generate_vmap_rule = True

    @staticmethod
    def forward(bias: Tensor, length: int) -> Tensor:
        return bias.unfold(-1, length, 1).flip(-2)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, int], output: Tensor) -> None:
        """Keep nothing: backward needs the gradient alone."""

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        length = grad.shape[-1]
        found = grad.new_zeros(*grad.shape[:-2], 2 * length - 1)
        # What stays in the processor's cache at a time; a GPU is quicker with one large step.
        some = length if grad.is_cuda else max(1, 2**17 * length // grad.numel())
        for begin in range(0, length, some):
            rows = grad[..., begin : begin + some, :]
            count = rows.shape[-2]
            end = 2 * length - 1 - begin
            found[..., length - begin - count : end] += _diagonal_sums(rows)
        return found, None


def _diagonal_sums(rows: Tensor) -> Tensor:
    """(…, n, T) → (…, T + n − 1): entry r sums all (i, j) with j − i = r − (n − 1)."""
    count, length = rows.shape[-2:]
    width = length + count - 1
    skewed = rows.new_zeros(*rows.shape[:-2], count, width + 1)
    flat = skewed.flatten(-2)[..., count - 1 : count - 1 + count * width]
    flat.unflatten(-1, (count, width))[..., :length] = rows
    return skewed.sum(-2)[..., :width]
