"""Positions on several axes, of patches of an image or frames of a video: turned, or added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from helpers.encodings.additive import Additive
from helpers.encodings.angles import finest
from helpers.encodings.of_index import Fourier
from helpers.encodings.positions import Positions
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
        self.axis = [number for number, n in enumerate(self.sections) for _ in range(n)]

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        """As `Rotary`, each pair by its position on its axis.

        Raises:
            ValueError: positions have another number of axes, or offsets are given.
        """
        if positions.queries.dim() == 3 and positions.queries.shape[2] != self.axes:
            raise ValueError(
                f"positions have {positions.queries.shape[2]} axes; here are {self.axes}"
            )
        return super().rotate(q, k, positions)


class Rotary2d(_Axes):
    """Rows turn the first half of the pairs, columns the second, with the same frequencies."""

    axes = 2

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """base^(−m/M) for the m-th of the M pairs of each axis."""
        along = [pair[:pairs] / max(pairs, 1) for pairs in self.sections]
        return self.base ** -torch.cat(along)


class Rotary3d(_Axes):
    """M-RoPE: time turns the fastest pairs, then rows, then columns; θ_n as in RoPE.

    Args:
        interleaved: pairs are dealt out in turns, time, row, column, time, …, as in Qwen3-VL, so
            that each axis has fast and slow ones; when the rows or columns have theirs, time has
            all others.
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


class _Placed(Additive):
    """x + the vector of each token's row and column.

    What has one position only, as a word has, stands there on both axes.
    """

    def placed(self, positions: Tensor) -> Tensor:
        """(…, 2) → (…, D), the vector of each row and column."""
        raise NotImplementedError

    def vectors(self, positions: Tensor) -> Tensor:
        """(…) → (…, D), the vector of each position on the diagonal."""
        return self.placed(torch.stack([positions, positions], -1))

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + vectors; (B, T, D) → (B, T, D).

        Raises:
            ValueError: positions have neither one axis nor two, or offsets are given.
        """
        if positions.queries.dim() < 3:
            return super().embed(x, positions)
        if positions.queries.shape[2] != 2:
            raise ValueError(f"positions have {positions.queries.shape[2]} axes; here are 2")
        return x + self.placed(positions.not_given(self).queries).to(x.dtype)


class Learned2d(_Placed):
    """A learned vector per row beside one per column, each half as wide as a token.

    Args:
        max_len: how many rows, and how many columns, have a vector.
        std: standard deviation of the first values.
    """

    def __init__(
        self, d_model: int, num_heads: int = 1, max_len: int = 512, std: float = 0.02
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        half = d_model // 2
        self.rows = nn.Parameter(torch.randn(max_len, half) * std)
        self.columns = nn.Parameter(torch.randn(max_len, d_model - half) * std)

    def placed(self, positions: Tensor) -> Tensor:
        """A row of each table, side by side."""
        return torch.cat([self.rows[positions[..., 0]], self.columns[positions[..., 1]]], -1)

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """As `Additive`; a text beyond `max_len` is refused."""
        self._check_table(positions)
        return super().embed(x, positions)

    def reset_parameters(self, std: float = 0.02) -> None:
        """Begin as the other tables of a model."""
        nn.init.normal_(self.rows, std=std)
        nn.init.normal_(self.columns, std=std)


class Fourier2d(_Placed, Fourier):
    """Learnable Fourier features of row and column together: each feature has its own direction.

    As `Fourier`, with W_r of shape (2, D_F/2).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        gamma: float = 1.0,
        **fourier: Any,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, gamma, **fourier)
        self.frequencies = nn.Parameter(torch.randn(2, len(self.frequencies)) / gamma)

    def placed(self, positions: Tensor) -> Tensor:
        """Equation 6, (…, 2) → (…, D)."""
        return self.norm(self.mlp(self.features(positions)))

    def angles(self, positions: Tensor) -> Tensor:
        """Row and column times W_r, (…, 2) → (…, D_F/2)."""
        exact = finest(positions.device)
        # No product of matrices: autocast would round rows 300 and 301 to one number.
        return (positions.to(exact)[..., None] * self.frequencies.to(exact)).sum(-2)
