"""Encodings whose vectors a small network computes from the position."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from helpers.encodings.absolute import Additive
from helpers.encodings.positions import in_float64


class IndexMLP(Additive):
    """Adds LN(MLP(p / max_len)), the first idea that comes to mind.

    Neighbours begin with nearly the same vector, so that it trains badly: at T = 24, 38 % of the
    predictions in benchmarks/lag_study.py are right, 65 to 70 % without `match_norm`.

    Args:
        normalise: divide the position by `max_len`.
        match_norm: end with a LayerNorm, so that entries have the size 1.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        normalise: bool = True,
        match_norm: bool = True,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.unit = max_len if normalise else 1
        self.mlp = nn.Sequential(
            nn.Linear(1, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model)
        )
        self.norm = nn.LayerNorm(d_model) if match_norm else nn.Identity()

    def vectors(self, positions: Tensor) -> Tensor:
        """Return the vector of each position, (…) → (…, D)."""
        index = in_float64(positions)[..., None] / self.unit
        return self.norm(self.mlp(index.to(next(self.parameters()))))


class Fourier(Additive):
    """Learnable Fourier features: sines and cosines with learned frequencies, then an MLP.

    F = [cos(p·W_r); sin(p·W_r)]/√D_F, then Y = GeLU(F·W_1 + B_1)·W_2 + B_2, with W_r drawn from
    N(0, γ⁻²), where γ⁻² is the variance.

    Args:
        gamma: γ > 0; 1/γ is the initial standard deviation of W_r, in radians per position.
        features: D_F, sines and cosines together, even; by default D, or D + 1 if D is odd.
        hidden: width of the hidden layer; D if not given.
        match_norm: end with a LayerNorm, which the paper does not have.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        *,
        gamma: float = 1.0,
        features: int | None = None,
        hidden: int | None = None,
        match_norm: bool = True,
    ) -> None:
        super().__init__(d_model, num_heads, max_len)
        features = d_model + d_model % 2 if features is None else features
        if gamma <= 0:
            raise ValueError(f"gamma={gamma:g} must be positive")
        if features < 2 or features % 2:
            raise ValueError(f"features={features} must be an even number of at least 2")
        self.gamma, width = gamma, hidden or d_model
        self.frequencies = nn.Parameter(torch.randn(features // 2) / gamma)
        self.mlp = nn.Sequential(nn.Linear(features, width), nn.GELU(), nn.Linear(width, d_model))
        self.norm = nn.LayerNorm(d_model) if match_norm else nn.Identity()

    def vectors(self, positions: Tensor) -> Tensor:
        """Return Y of equation 6, (…) → (…, D)."""
        return self.norm(self.mlp(self.features(positions)))

    def features(self, positions: Tensor) -> Tensor:
        """Return F of equation 2, (…) → (…, D_F)."""
        angles = self.angles(positions)
        features = torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(2 * angles.shape[-1])
        return features.to(self.frequencies)

    def angles(self, positions: Tensor) -> Tensor:
        """Return p·W_r, (…) → (…, D_F/2)."""
        return in_float64(positions)[..., None] * in_float64(self.frequencies)
