"""Unit 03, “Learnable Fourier features”: what it asks, and what people write instead.

Mistakes about W_r and its angles are in fourier_frequencies.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor, nn

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.learned import common
from helpers.encodings.additive import Additive


class FourierFeatures(encodings.Fourier):
    """Equations 2 and 6 as in the paper, without a norm behind them."""

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        gamma: float = 1.0,
        num_features: int = 64,
    ) -> None:
        super().__init__(
            d_model, num_heads, max_len, gamma, features=num_features, match_norm=False
        )


def _fourier_with(answer: Answer, num_features: int, seed: int) -> Any:
    module = common.with_fixed_weights(answer(d_model=20, num_features=num_features), seed)
    draw = Generator().manual_seed(seed)
    frequencies = torch.randn(num_features // 2, generator=draw)
    leading = module.frequencies.shape[:-1]  # someone may keep W_r as a row (1, D_F/2)
    module.frequencies.data = frequencies.reshape(*leading, -1)
    return module


def _equation_2(rng: Random) -> Iterator[Case]:
    seed, num_features = rng.randrange(1000), 2 * rng.randint(5, 8)
    positions = common.random_positions(rng, 40, rng.randint(5, 9))
    yield Case(
        f"features(positions) with given W_r, num_features={num_features}",
        lambda answer: _fourier_with(answer, num_features, seed).features(positions.clone()),
    )


def _w_r_is_trained(rng: Random) -> Iterator[Case]:
    positions = common.random_positions(rng, 40, 7)

    def ask(answer: Answer) -> dict[str, bool]:
        module = answer(d_model=20, num_features=12)
        frequencies = module.frequencies
        features = module.features(positions)
        if features.requires_grad:
            features.sum().backward()
        return {
            "frequencies has D_F / 2 numbers": frequencies.numel() == 6,
            "frequencies is a Parameter": type(frequencies) is nn.Parameter,
            "frequencies is in state_dict(), so it is saved": "frequencies" in module.state_dict(),
            "the loss reaches it": isinstance(frequencies, Tensor)
            and frequencies.is_leaf
            and frequencies.grad is not None,
        }

    yield Case("the module", ask)


def _w_r_begins(rng: Random) -> Iterator[Case]:
    def ask(answer: Answer, gamma: float) -> dict[str, Any]:
        drawn = answer(d_model=6, gamma=gamma, num_features=4000).frequencies.detach()
        return {
            "standard deviation of W_r": common.about(drawn.std().item(), 1 / gamma),
            "its mean is nearly 0": abs(drawn.mean().item()) * gamma < 0.2,
        }

    for gamma in (rng.choice((0.2, 0.25, 0.5)), rng.choice((4.0, 8.0, 10.0))):
        yield Case(f"a new module with gamma={gamma:g}", partial(ask, gamma=gamma))


def _equation_6(rng: Random) -> Iterator[Case]:
    seed, positions = rng.randrange(1000), common.random_positions(rng, 40, rng.randint(5, 9))

    def ask(answer: Answer) -> Any:
        module = _fourier_with(answer, 16, seed)
        expected = module.mlp(module.features(positions))
        found = module.vectors(positions)
        return found - expected if found.shape == expected.shape else found

    yield Case("vectors(positions) less mlp(features(positions))", ask)


def _fourier_shapes(rng: Random) -> Iterator[Case]:
    positions = common.random_positions(rng, 40, rng.randint(2, 4), rng.randint(5, 9))
    yield Case(
        f"shape of vectors(positions) with positions of shape {tuple(positions.shape)}",
        lambda answer: tuple(_fourier_with(answer, 16, 0).vectors(positions.clone()).shape),
    )


fourier = Exercise(
    "fourier",
    FourierFeatures,
    (
        Part("equation 2: the features", 1, _equation_2),
        Part("W_r is trained", 0.5, _w_r_is_trained),
        Part("W_r begins with variance 1/γ²", 0.5, _w_r_begins),
        Part("equation 6: the MLP of the features", 0.5, _equation_6),
        Part("positions (B, T) as well", 0.5, _fourier_shapes),
    ),
    forbidden=(encodings.Fourier,),
)


class RightFourier(Additive):
    """The right module, cut into pieces so that each mistake shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512, gamma=1.0, num_features=64):
        super().__init__(d_model, num_heads, max_len)
        self.mlp = nn.Sequential(
            nn.Linear(num_features, d_model), nn.GELU(), nn.Linear(d_model, d_model)
        )
        self.keep(self.first(num_features // 2, gamma))

    def first(self, number, gamma):
        return torch.randn(number) / gamma

    def keep(self, frequencies):
        self.frequencies = nn.Parameter(frequencies)

    def angles(self, positions):
        return positions[..., None] * self.frequencies

    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(2 * angles.shape[-1])

    def vectors(self, positions):
        return self.mlp(self.features(positions))


@fourier.mistake(
    "You have D_F/2 features, sines only. Equation 2 has two of each angle: one alone cannot "
    "tell a from π − a.",
    loses=(
        "equation 2: the features",
        "equation 6: the MLP of the features",
        "positions (B, T) as well",
    ),
)
class features_without_cosine(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return angles.sin() / math.sqrt(2 * angles.shape[-1])


@fourier.mistake(
    "Both halves of your features are sines. One of them should be cosines.",
    loses="equation 2: the features",
)
class features_of_sines_twice(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.sin(), angles.sin()], -1) / math.sqrt(2 * angles.shape[-1])


@fourier.mistake(
    "Your sines come first. It would train as well, but equation 2 has the cosines first, and "
    "weights trained with one order are of no use with the other.",
    loses="equation 2: the features",
)
class features_with_sines_first(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.sin(), angles.cos()], -1) / math.sqrt(2 * angles.shape[-1])


@fourier.mistake(
    "You interleave, as unit 02 did. Equation 2 has all cosines first, then all sines.",
    loses="equation 2: the features",
)
class features_interleaved(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        pairs = torch.stack([angles.cos(), angles.sin()], -1).flatten(-2)
        return pairs / math.sqrt(2 * angles.shape[-1])


@fourier.mistake(
    "The factor in front of equation 2 is missing: the length of F should be the same "
    "whatever D_F is.",
    loses="equation 2: the features",
)
class features_not_scaled(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1)


@fourier.mistake(
    "Your divisor is √(D_F/2), which makes F of length 1. In equation 2, D_F counts sines and "
    "cosines together.",
    loses="equation 2: the features",
)
class features_scaled_by_half(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(angles.shape[-1])


@fourier.mistake(
    "You divide by D_F. Equation 2 divides by its root.", loses="equation 2: the features"
)
class features_scaled_without_root(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / (2 * angles.shape[-1])


@fourier.mistake(
    "You divide by √D, with the width of the model. Equation 2 has D_F, the number of features.",
    loses="equation 2: the features",
)
class features_scaled_by_the_model(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(self.d_model)


@fourier.mistake(
    "torch.cat joins along the first axis unless it is told otherwise: your sines stand below "
    "the cosines.",
    loses=(
        "equation 2: the features",
        "equation 6: the MLP of the features",
        "positions (B, T) as well",
    ),
)
class features_joined_below(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()]) / math.sqrt(2 * angles.shape[-1])


@fourier.mistake(
    "You normalise what the MLP returns, as the exercise before asked. Equation 6 ends with "
    "the MLP.",
    loses="equation 6: the MLP of the features",
)
class norm_added(RightFourier):
    def vectors(self, positions):
        vectors = self.mlp(self.features(positions))
        return nn.functional.layer_norm(vectors, vectors.shape[-1:])


@fourier.mistake(
    "You return the features themselves, of width D_F. Equation 6 sends them through the MLP, "
    "which ends in width D.",
    loses=("equation 6: the MLP of the features", "positions (B, T) as well"),
)
class mlp_left_out(RightFourier):
    def vectors(self, positions):
        return self.features(positions)


@fourier.mistake(
    "There is a GeLU behind the last layer as well. In equation 6 it stands between the two.",
    loses="equation 6: the MLP of the features",
)
class gelu_at_the_end(RightFourier):
    def vectors(self, positions):
        return nn.functional.gelu(self.mlp(self.features(positions)))
