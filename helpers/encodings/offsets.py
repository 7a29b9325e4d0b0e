"""What relative encodings share: the offset j − i of every pair, and tables read by it."""

from __future__ import annotations

import torch
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
    """
    *batch, length, width = products.shape
    if width != 2 * length - 1:
        raise ValueError(f"products has {width} columns; for T={length} it must have 2T−1")
    padded = torch.nn.functional.pad(products, (0, 1)).flatten(-2)  # rows of 2T
    shifted = padded[..., length - 1 : length - 1 + length * width]
    return shifted.reshape(*batch, length, width)[..., :length]
