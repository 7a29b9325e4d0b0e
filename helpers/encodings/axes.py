"""RoPE for what stands on several axes: patches of an image, frames of a video."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor

from helpers.encodings.rotary import Rotary


class _Axes(Rotary):
    """Pairs are dealt out to the axes, and each is turned by its position on its own axis.

    What has one position only, as a word has, stands there on all axes.

    Args:
        sections: how many pairs each axis has; about equally many if not given.
        rotary: `base`, `layout` and `fraction`, as `Rotary` has them.

    Raises:
        ValueError: `sections` does not deal out all pairs, or not to all axes.
    """

    axes: ClassVar[int]

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        sections: Sequence[int] | None = None,
        **rotary: Any,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, **rotary)
        pairs = self.turned // 2
        even = [pairs // self.axes + (each < pairs % self.axes) for each in range(self.axes)]
        self.sections = even if sections is None else list(sections)
        if len(self.sections) != self.axes or sum(self.sections) != pairs:
            raise ValueError(
                f"sections={self.sections} must be {self.axes} numbers with the sum {pairs}"
            )

    def angles(self, positions: Tensor, theta: Tensor) -> Tensor:
        """Each pair's position on its axis, times θ; (T, r/2) or (B, T, r/2)."""
        if positions.dim() < 3:
            return super().angles(positions, theta)
        if positions.shape[2] != self.axes:
            raise ValueError(f"positions have {positions.shape[2]} axes; here are {self.axes}")
        axis = [number for number, pairs in enumerate(self.sections) for _ in range(pairs)]
        return positions[..., axis] * theta


class Rotary2d(_Axes):
    """Rows turn the first half of the pairs, columns the second, with the same frequencies."""

    paper = "Simeoni et al. 2025 (2508.10104, DINOv3), and its code"
    formula = r"as rotary, half of the pairs by row, half by column, each half with its own θ_0 = 1"
    axes = 2

    def frequencies(self, pair: Tensor, keys: Tensor) -> Tensor:
        """base^(−m/M) for the m-th of the M pairs of each axis."""
        along = [pair[:pairs] / max(pairs, 1) for pairs in self.sections]
        return self.base ** -torch.cat(along)


class Rotary3d(_Axes):
    """M-RoPE: time turns the fastest pairs, then rows, then columns; θ_n as in RoPE."""

    paper = "Wang et al. 2024 (2409.12191, Qwen2-VL), and its code"
    formula = r"as rotary, pair n by p_time, p_row or p_column"
    axes = 3
