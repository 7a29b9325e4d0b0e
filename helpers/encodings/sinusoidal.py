"""Sinusoidal encoding: Vaswani et al. 2017, "Attention Is All You Need", section 3.5."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from helpers.encodings.absolute import Table
from helpers.encodings.positions import in_float64


def _frequencies(d_model: int, base: float, device: torch.device | str = "cpu") -> Tensor:
    """Return ω_i = base^(−2i/D) for i = 0 … ⌈D/2⌉−1, radians per position; (⌈D/2⌉,), float64."""
    if d_model < 1:
        raise ValueError(f"d_model={d_model} must be at least 1")
    if not base > 0:
        raise ValueError(f"base={base} must be positive")
    pair = torch.arange((d_model + 1) // 2, dtype=torch.float64, device=device)
    return base ** (-2 * pair / d_model)


def wavelengths(d_model: int, base: float = 10_000.0) -> Tensor:
    """Return the period of each pair of columns, 2π·base^(2i/D) positions; (⌈D/2⌉,), float64."""
    return 2 * math.pi / _frequencies(d_model, base)


def angles(positions: Tensor, d_model: int, base: float = 10_000.0) -> Tensor:
    """Return p·ω_i of each position, (…) → (…, ⌈D/2⌉), dtype and device by `in_float64`."""
    p = in_float64(positions)[..., None]
    return p * _frequencies(d_model, base, p.device)


def sinusoids(positions: Tensor, d_model: int, base: float = 10_000.0) -> Tensor:
    """Return PE(p, 2i) = sin(p·base^(−2i/D)) and PE(p, 2i+1) = cos(p·base^(−2i/D)).

    Args:
        positions: (…), any real numbers.
        d_model: D, number of columns; if it is odd, the last sine has no cosine beside it.
        base: 10,000 in the paper.

    Returns:
        (…, D), float64 on the CPU and float32 elsewhere.
    """
    angle = angles(positions, d_model, base)
    pairs = torch.stack([angle.sin(), angle.cos()], -1)  # (…, ⌈D/2⌉, 2)
    dtype = torch.float64 if positions.device.type == "cpu" else torch.float32
    return pairs.flatten(-2)[..., :d_model].to(positions.device, dtype)


def sinusoidal_table(num_positions: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """Return the `sinusoids` of positions 0 … T−1, (T, D), float64.

    Raises:
        ValueError: a size is impossible.
    """
    if num_positions < 0:
        raise ValueError(f"num_positions={num_positions} must not be negative")
    return sinusoids(torch.arange(num_positions), d_model, base)


def shift_matrix(k: float, d_model: int, base: float = 10_000.0) -> Tensor:
    """Return M_k with PE(p + k) = M_k·PE(p) for every p: it rotates pair i of columns by k·ω_i.

    Section 3.5 states that such a linear map exists; it follows from the angle-sum formulas.

    Returns:
        (D, D), float64, block diagonal and orthogonal.

    Raises:
        ValueError: `d_model` is odd (its last sine has no cosine to be rotated with).
    """
    if d_model % 2:
        raise ValueError(f"d_model={d_model} must be even: each sine needs its cosine")
    angle = k * _frequencies(d_model, base)
    cos, sin = angle.cos(), angle.sin()
    blocks = torch.stack([torch.stack([cos, sin], -1), torch.stack([-sin, cos], -1)], -2)
    return torch.block_diag(*blocks)


def offset_profile(table: Tensor) -> Tensor:
    """Return the mean of ⟨P_p, P_{p+k}⟩ over all p, divided by the mean of ⟨P_p, P_p⟩, for each k.

    Args:
        table: P, (T, D), any table of position vectors, sinusoidal or learned.

    Returns:
        (T,), for k = 0 … T−1.
    """
    products = table @ table.T
    means = torch.stack([products.diagonal(k).mean() for k in range(len(table))])
    return means / means[0]


class Sinusoidal(Table):
    """Adds the sinusoidal table, a buffer of `max_len` rows, to the input; nothing is learned.

    The buffer is persistent, so that `load_state_dict` fills a model built on the meta device.

    Args:
        base: 10,000 in the paper.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, base: float = 10_000.0
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        table = sinusoidal_table(max_len, d_model, base)
        self.register_buffer("table", table.to(torch.get_default_dtype()))
