"""RoPE on several axes, as of patches of an image or frames of a video (axial RoPE)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from helpers.encodings.positions import Positions
from helpers.encodings.rotary import Rotary


class RotaryNd(Rotary):
    """Pairs are dealt out to the axes, and each is turned by its position on its own axis.

    Positions with one axis, as those of words, count on every axis.

    Args:
        sections: how many pairs each axis has, all in all r/2; about equally many if not given.
        rotary: `base`, `layout` and `partial_rotary_factor`, as `Rotary` has them.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        sections: Sequence[int] | None = None,
        **rotary: Any,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, **rotary)
        pairs = self.rotary_dim // 2
        even = [pairs // self.axes + (each < pairs % self.axes) for each in range(self.axes)]
        self.sections = even if sections is None else list(sections)
        if len(self.sections) != self.axes or sum(self.sections) != pairs:
            raise ValueError(
                f"sections={self.sections} must be {self.axes} numbers with the sum {pairs}"
            )
        self.axis = [number for number, n in enumerate(self.sections) for _ in range(n)]


class Rotary2d(RotaryNd):
    """Rows turn the first half of the pairs, columns the second, with the same frequencies."""

    axes = 2

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """base^(−m/M) for the m-th of the M pairs of each axis."""
        along = [pair[:pairs] / max(pairs, 1) for pairs in self.sections]
        return self.base ** -torch.cat(along)
