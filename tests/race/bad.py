"""Encodings with one fault each, and one that has them all."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings import Encoding, Positions, sinusoidal_table


class MarksTheFirst(Encoding):
    """Says which token stands first, and nothing of the others."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.mark = nn.Parameter(torch.randn(d_model))

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x + self.mark * (positions.queries == 0)[..., None]


class ReadsTheFuture(Encoding):
    """Adds to each token half of its right neighbour."""

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x + F.pad(x[:, 1:], (0, 0, 0, 1)) / 2


class BreaksInBfloat16(Encoding):
    """RoPE whose angles are computed in the dtype of q."""

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        return _rotate(q, positions.queries), _rotate(k, positions.keys)


def _rotate(x: Tensor, places: Tensor) -> Tensor:
    """Turn pairs of columns, (…, T, d), by angles in the dtype of x."""
    theta = 10_000 ** (-torch.arange(0, x.shape[-1], 2, dtype=x.dtype) / x.shape[-1])
    angle = places.to(x.dtype)[:, None] * theta
    a, b = x.chunk(2, -1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)


class DiffersWithACache(Encoding):
    """Sinusoids that count from 0 in each call, whatever has been read before."""

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x + sinusoidal_table(x.shape[1], self.d_model).to(x)


class CountsFromTheEnd(Encoding):
    """Adds sinusoids of the distance to the last token."""

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x + sinusoidal_table(x.shape[1], self.d_model).flip(0).to(x)


class NoNumbers(Encoding):
    """Makes NaN of each text."""

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x * math.nan


class NoNumbersInShortTexts(Encoding):
    """Makes NaN of a text of fewer than ten tokens."""

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x * math.nan if x.shape[1] < 10 else x


class AllAtOnce(MarksTheFirst):
    """Has *all* faults | of the <others>."""

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        x = torch.cat([x[:, :1] + self.mark, x[:, 1:]], 1)  # the first of each call
        x = x + x.mean(1, keepdim=True)  # later ones too
        return (x + 64) - 64  # in bfloat16, 64.25 is 64
