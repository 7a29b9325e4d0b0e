"""RoPE on time, rows and columns, of frames of a video (Wang et al. 2024, M-RoPE)."""

from __future__ import annotations

from typing import Any

from helpers.encodings.rotary_nd import RotaryNd


class Rotary3d(RotaryNd):
    """M-RoPE: time turns the fastest pairs, then rows, then columns; θ_n as in RoPE.

    Args:
        interleaved: deal pairs out in turns, time, row, column, time, …, as in Qwen3-VL, so that
            each axis has fast and slow ones; the rest goes to time, which must have most.
        axes: `sections` and what `Rotary` has.
    """

    axes = 3

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        interleaved: bool = False,
        **axes: Any,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, **axes)
        if interleaved:
            turns = ((pair % 3, pair // 3) for pair in range(sum(self.sections)))
            self.axis = [n if number < self.sections[n] else 0 for n, number in turns]
            if [self.axis.count(n) for n in range(3)] != self.sections:
                raise ValueError(f"sections={self.sections}: if interleaved, time must have most")
