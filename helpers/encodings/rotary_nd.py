"""RoPE on several axes, as of patches of an image or frames of a video (axial RoPE)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from helpers.encodings.positions import Positions
from helpers.encodings.rotary import Rotary


class RotaryNd(Rotary):
    """Divides the pairs among the axes, and rotates each pair by the position on its axis.

    A position with one axis, such as a word's, serves as its position on every axis.

    Args:
        sections: number of pairs for each axis, r/2 in all; nearly equal if not given.
        sizes, rotary: sizes and options of `Rotary`.
    """

    def __init__(self, *sizes: Any, sections: Sequence[int] | None = None, **rotary: Any) -> None:
        super().__init__(*sizes, **rotary)
        pairs = self.rotary_dim // 2
        even = [pairs // self.axes + (axis < pairs % self.axes) for axis in range(self.axes)]
        self.sections = even if sections is None else list(sections)
        if len(self.sections) != self.axes or sum(self.sections) != pairs or min(self.sections) < 0:
            raise ValueError(
                f"sections={self.sections} must be {self.axes} numbers with the sum {pairs}"
            )
        self.axis = [axis for axis, n in enumerate(self.sections) for _ in range(n)]


class Rotary2d(RotaryNd):
    """Rotates the first half of the pairs by the row, the second by the column, with equal θ."""

    axes = 2

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """Return base^(−m/M) for pair m of the M pairs of each axis."""
        return self.base ** -torch.cat([pair[:n] / max(n, 1) for n in self.sections])


class Rotary3d(RotaryNd):
    """M-RoPE (Wang et al. 2024): fast pairs encode time, the next the row, slow ones the column.

    Args:
        interleaved: let time, row and column take turns, as in Qwen3-VL, so that each has fast and
            slow pairs; what is left over goes to time.
        sizes, rotary: sizes and options of `RotaryNd`.
    """

    axes = 3

    def __init__(self, *sizes: Any, interleaved: bool = False, **rotary: Any) -> None:
        super().__init__(*sizes, **rotary)
        if interleaved:
            turns = [divmod(pair, 3) for pair in range(sum(self.sections))]
            self.axis = [axis if turn < self.sections[axis] else 0 for turn, axis in turns]
            if [self.axis.count(n) for n in range(3)] != self.sections:
                most = [sum(axis == n for _, axis in turns) for n in (1, 2)]
                raise ValueError(
                    f"sections={self.sections}: if interleaved, row and column have at most {most} "
                    "pairs"
                )
