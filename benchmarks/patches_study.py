"""Pictures larger than those of the training: encodings that know rows and columns, and some not.

`Patches`: each patch follows from the one a row up and two columns to the left. Trained on 6×6
patches, evaluated on 6×6, 9×9 and 12×12; loss in nats per selected patch beside the exact limit.
The weights of 2-D RoPE are evaluated once more with offsets beyond ±5 rows or columns counted as
±5, so that none is new (as in controls_study.py). All have the same steps, batches and layers.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from benchmarks.sweep import Job, sweep
from helpers.corpora import Patches
from helpers.encodings import Positions, Rotary2d, create
from helpers.training.context_extension import extend
from helpers.training.experiments import HEADS, WIDTH, Build, fit

STEPS, LENGTHS, SEEDS = 400, (36, 81, 144), range(5)
LOUD = WIDTH**-0.5  # standard deviation of a table as large as the tokens (see lag_controls)

SIZES: dict[str, Any] = {"d_model": WIDTH, "num_heads": HEADS, "max_len": max(LENGTHS)}

# label: what the model is told, name and options for `create`
ENCODINGS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "2-D RoPE": ("places", "rotary_2d", {}),
    "learned per axis": ("places", "learned_2d", {"std": LOUD}),
    "2-D Fourier": ("places", "fourier_2d", {"match_norm": False}),
    "RoPE in order": ("order", "rotary", {}),
}


class ClippedRotary2d(Rotary2d):
    """2-D RoPE in which offsets beyond ±`far` rows or columns count as ±`far`."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, far: int = 5) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.far = far

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        """Nothing yet: what the angles are depends on the pair."""
        return q, k

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """What the turned product has beyond q·kᵀ; (B, H, T, T)."""
        if positions.queries.dim() < 3:
            raise ValueError("positions must be told: a row and a column of each patch")
        pair = torch.arange(self.rotary_dim // 2, dtype=torch.float64)
        theta = self.frequencies(pair, positions)
        axis = torch.tensor(self.axis)
        added = -q @ k.mT
        for number in range(self.axes):
            mine = (axis == number).repeat_interleave(2)  # columns of a head that this axis turns
            here, there = positions.queries[..., number], positions.keys[..., number]
            added = added + self._clipped(q * mine, k * mine, here, there, theta)
        return added

    def _clipped(self, q: Tensor, k: Tensor, here: Tensor, there: Tensor, theta: Tensor) -> Tensor:
        """On one axis, on which queries and keys stand (B or 1, T)."""
        near = self._by(q, here, theta) @ self._by(k, there, theta).mT
        end = torch.tensor([self.far])
        right, left = q @ self._by(k, end, theta).mT, q @ self._by(k, -end, theta).mT
        offset = (there[:, None, :] - here[:, :, None])[:, None]  # (B or 1, 1, T, T)
        return torch.where(offset.abs() > self.far, torch.where(offset > 0, right, left), near)

    def _by(self, x: Tensor, positions: Tensor, theta: Tensor) -> Tensor:
        """x turned as if it stood at `positions`, (T,) or (B or 1, T), of all its pairs."""
        angle = (positions[..., None] * theta).unsqueeze(-3)
        return self.apply_rotary(x, angle.cos().to(x), angle.sin().to(x))


# label: what its trained weights are evaluated with once more
ALSO: dict[str, dict[str, Build]] = {
    "2-D RoPE": {"2-D RoPE, clipped": partial(ClippedRotary2d, **SIZES)},
}


def _run(label: str, seed: int) -> pd.DataFrame:
    told, name, options = ENCODINGS[label]
    task = Patches(told=told)
    ways: dict[str, Build] = {label: partial(create, name, **SIZES, **options)}
    model = fit(task, ways[label], seed, STEPS, LENGTHS[0], label)
    found = extend(model, task, ways | ALSO.get(label, {}), seed, lengths=LENGTHS)
    return found.drop(columns="tuned").assign(steps=STEPS)


def main() -> None:
    """Run the study."""
    sweep("patches", [Job(label, partial(_run, label), SEEDS) for label in ENCODINGS])


if __name__ == "__main__":
    main()
