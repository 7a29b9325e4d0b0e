"""Controls on the lag-3 language: each changes the one thing that a lesson gives as the reason.

- RoPE, clipped: the weights of RoPE, trained at T = 24, where no offset lies beyond ±23. They are
  evaluated as they are, and once more with offsets beyond ±23 counted as ±23, as in ReRoPE (Su
  2023, github bojone/rerope), so that no offset is one that training has not seen.
- learned tables that stay as they were drawn, quiet (standard deviation 0.02), as loud as this
  encoder's tokens (1/√48 = 0.14), and loud (1): is it the learning, or the size?
- Shaw's keys with k = 3, where offset 3 shares its vector with all beyond, and with k = 4, where
  it has its own: how much can two layers make up for a short clip?
- Shaw's tables with a copy of their own for each head, beside the same that the heads share: do
  heads need different vectors? These rows are kept by themselves, as lag_heads.

Three seeds; otherwise as lag_study.py, whose rows these stand beside.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import torch
from torch import Tensor, nn

from benchmarks.sweep import Job, sweep
from helpers.corpora import LagLanguage
from helpers.encodings import Encoding, Learned, Positions, Rotary, Shaw, ShawKeys
from helpers.training.experiments import HEADS, WIDTH, run

LENGTHS, STEPS = (24, 48, 96), 1000


class ClippedRotary(Rotary):
    """RoPE in which offsets beyond ±`far` count as ±`far`."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, far: int = 23) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.far = far

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        """Nothing yet: what the angles are depends on the pair."""
        return q, k

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """What the turned product has beyond q·kᵀ; (B, H, T, T)."""
        near_q, near_k = super().rotate(q, k, positions)
        offset = positions.offsets
        pair = torch.arange(self.rotary_dim // 2, dtype=torch.float64)
        turn = self.far * self.frequencies(pair, positions)[None]  # far to the right
        cos, sin = turn.cos().to(k), turn.sin().to(k)
        right, left = (q @ self.apply_rotary(k, cos, side * sin).mT for side in (1, -1))
        far = torch.where(offset > 0, right, left)
        return torch.where(offset.abs() > self.far, far, near_q @ near_k.mT) - q @ k.mT


class KeysPerHead(ShawKeys):
    """Shaw's keys, with a table for each head: (H, 2k + 1, d)."""

    def _vectors(self) -> nn.Parameter:
        shape = self.num_heads, 2 * self.k + 1, self.head_dim
        return nn.Parameter(torch.randn(shape) * self.head_dim**-0.5)


class ShawPerHead(KeysPerHead, Shaw):
    """Both of Shaw's tables, each of them for each head."""


def frozen(std: float) -> Encoding:
    """A learned table that does not learn."""
    return Learned(WIDTH, HEADS, max(LENGTHS), std=std).requires_grad_(False)


CONTROLS: dict[str, Callable[[], Encoding]] = {
    "RoPE": partial(Rotary, WIDTH, HEADS, max(LENGTHS)),
    "learned": partial(Learned, WIDTH, HEADS, max(LENGTHS)),
    "learned, std 1": partial(Learned, WIDTH, HEADS, max(LENGTHS), std=1.0),
    "frozen": partial(frozen, 0.02),
    "frozen, std 0.14": partial(frozen, WIDTH**-0.5),
    "frozen, std 1": partial(frozen, 1.0),
    "Shaw keys, k = 3": partial(ShawKeys, WIDTH, HEADS, max(LENGTHS), k=3),
    "Shaw keys, k = 4": partial(ShawKeys, WIDTH, HEADS, max(LENGTHS), k=4),
}
PER_HEAD: dict[str, Callable[[], Encoding]] = {
    "Shaw keys": partial(ShawKeys, WIDTH, HEADS, max(LENGTHS)),
    "Shaw keys, per head": partial(KeysPerHead, WIDTH, HEADS, max(LENGTHS)),
    "Shaw": partial(Shaw, WIDTH, HEADS, max(LENGTHS)),
    "Shaw, per head": partial(ShawPerHead, WIDTH, HEADS, max(LENGTHS)),
}
# label: what its trained weights are evaluated with once more
ALSO: dict[str, dict[str, Callable[[], Encoding]]] = {
    "RoPE": {"RoPE, clipped": partial(ClippedRotary, WIDTH, HEADS, max(LENGTHS))},
}


def _run(label: str, seed: int) -> pd.DataFrame:
    build, also = (CONTROLS | PER_HEAD)[label], ALSO.get(label)
    return run(LagLanguage(), build, seed, STEPS, LENGTHS, label=label, also=also)


def main() -> None:
    """Run the study."""
    for name, encodings in {"lag_controls": CONTROLS, "lag_heads": PER_HEAD}.items():
        sweep(name, [Job(label, partial(_run, label)) for label in encodings])


if __name__ == "__main__":
    main()
