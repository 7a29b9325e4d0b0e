"""Unit 03: what the exercises on an MLP of the index and on Fourier features ask and look at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any
from zlib import crc32

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from helpers import encodings
from helpers.checks.exercise import Answer, Case, Exercise, Part
from helpers.checks.learned_draws import near, places
from helpers.checks.mistakes import learned_fourier, learned_index


def _filled(module: nn.Module, seed: int) -> Any:
    """Weights that depend on their names only, so that two modules compute the same."""
    for name, weight in module.named_parameters():
        if name.startswith("mlp"):
            draw = Generator().manual_seed(crc32(name.encode()) + seed)
            weight.data = torch.randn(weight.shape, generator=draw) / math.sqrt(weight.shape[-1])
    return module


def _mlp_with(answer: Answer, seed: int) -> Any:
    return _filled(answer(d_model=24, max_len=50), seed)


def _of_the_index(rng: Random) -> Iterator[Case]:
    seed, length = rng.randrange(1000), rng.randint(10, 30)
    for words, positions in (
        (f"0 … {length - 1}", torch.arange(length)),
        ("in no order", places(rng, 50, length)),
    ):

        def ask(answer: Answer, positions: Tensor = positions) -> Tensor:
            # Normalised once more, which changes nothing where it has been done.
            return F.layer_norm(_mlp_with(answer, seed).vectors(positions.clone()), (24,))

        yield Case(f"vectors of the positions {words}, max_len=50, but for their size", ask)


def _of_any_shape(rng: Random) -> Iterator[Case]:
    positions = places(rng, 50, rng.randint(2, 4), rng.randint(5, 9))
    yield Case(
        f"shape of vectors(positions) with positions of shape {tuple(positions.shape)}",
        lambda answer: tuple(_mlp_with(answer, 0).vectors(positions.clone()).shape),
    )


def _of_size_one(rng: Random) -> Iterator[Case]:
    positions, seed = torch.arange(rng.randint(10, 30)), rng.randrange(1000)
    yield Case(
        "mean square of each vector's entries",
        lambda answer: _mlp_with(answer, seed).vectors(positions.clone()).square().mean(-1),
    )


index_mlp = Exercise(
    "index_mlp",
    encodings.IndexMLP,
    (
        Part("the MLP of p / max_len", 1, _of_the_index),
        Part("positions (B, T) as well", 0.5, _of_any_shape),
        Part("entries of size 1", 0.5, _of_size_one),
    ),
    learned_index.INDEX_MLP,
    tolerance=1e-3,  # the smallest rows meet the LayerNorm's epsilon
)


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
    module = _filled(answer(d_model=20, num_features=num_features), seed)
    draw = Generator().manual_seed(seed)
    frequencies = torch.randn(num_features // 2, generator=draw)
    leading = module.frequencies.shape[:-1]  # someone may keep W_r as a row (1, D_F/2)
    module.frequencies.data = frequencies.reshape(*leading, -1)
    return module


def _equation_2(rng: Random) -> Iterator[Case]:
    seed, num_features = rng.randrange(1000), 2 * rng.randint(5, 8)
    positions = places(rng, 40, rng.randint(5, 9))
    yield Case(
        f"features(positions) with given W_r, num_features={num_features}",
        lambda answer: _fourier_with(answer, num_features, seed).features(positions.clone()),
    )


def _w_r_is_trained(rng: Random) -> Iterator[Case]:
    positions = places(rng, 40, 7)

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
            "standard deviation of W_r": near(drawn.std().item(), 1 / gamma),
            "its mean is nearly 0": abs(drawn.mean().item()) * gamma < 0.2,
        }

    for gamma in (rng.choice((0.2, 0.25, 0.5)), rng.choice((4.0, 8.0, 10.0))):
        yield Case(f"a new module with gamma={gamma:g}", partial(ask, gamma=gamma))


def _equation_6(rng: Random) -> Iterator[Case]:
    seed, positions = rng.randrange(1000), places(rng, 40, rng.randint(5, 9))

    def ask(answer: Answer) -> Any:
        module = _fourier_with(answer, 16, seed)
        expected = module.mlp(module.features(positions))
        found = module.vectors(positions)
        return found - expected if found.shape == expected.shape else found

    yield Case("vectors(positions) less mlp(features(positions))", ask)


def _fourier_shapes(rng: Random) -> Iterator[Case]:
    positions = places(rng, 40, rng.randint(2, 4), rng.randint(5, 9))
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
    learned_fourier.FOURIER,
    forbidden=(encodings.Fourier,),
)
