"""Unit 03, “Learnable Fourier features”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.engine import DTYPE, IN_PLACE, NO_GRADIENT, Answer, Case, Exercise, Part, call
from helpers.checks.learned import common

MAX_LEN = 30  # it plays no part, and positions go beyond it


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
        sizes = (d_model, num_heads, max_len)
        super().__init__(*sizes, gamma=gamma, features=num_features, match_norm=False)


def _with_weights(answer: Answer, num_features: int, seed: int) -> Any:
    gamma = (0.5, 1.0, 3.0)[seed % 3]  # which W_r begins with, and nothing else
    sizes = {"d_model": 20, "max_len": MAX_LEN, "num_features": num_features}
    module = common.made(answer, **sizes, gamma=gamma)
    module = draws.with_fixed_weights(module, "mlp", seed=seed)
    draw = torch.randn(num_features // 2, generator=Generator().manual_seed(seed))
    own = module.frequencies  # where W_r is a row (1, D_F/2), that is told elsewhere
    own.data = draw.reshape(*own.shape[:-1], -1).to(own.dtype)
    return module


def _features_case(rng: Random, *shape: int) -> Case:
    """The module is asked twice, since positions may differ where their shape does not."""
    seed, num_features = rng.randrange(1000), 2 * rng.choice((1, 5, 6, 7, 8, 13))
    first, second = (draws.integers(rng, 2 * MAX_LEN, *shape) for _ in range(2))

    def ask(answer: Answer) -> dict[str, Any]:
        module = _with_weights(answer, num_features, seed)
        return {
            "the features": call(first).ask(module.features),
            "those of other positions": call(second).ask(module.eval().features),
        }

    words = f"features of positions of shape {shape}, twice"
    return Case(f"{words}, with given W_r and num_features={num_features}", ask)


def _equation_2(rng: Random) -> Iterator[Case]:
    for length in (rng.randint(5, 9), rng.randint(65, 80), 1):
        yield _features_case(rng, length)
    yield _far(rng)


def _far(rng: Random) -> Case:
    """Odd positions, which half precision has not, and beyond what int16 counts."""
    seed, positions = rng.randrange(1000), 2049 + 2 * draws.integers(rng, 30_000, 16)

    def ask(answer: Answer) -> Any:
        module = _with_weights(answer, 4, seed)
        module.frequencies.data.mul_(0.003)  # so that the angles are exact in float32
        return call(positions).ask(module.features)

    return Case("features of positions from 2,049 to 62,047, with given W_r", ask)


def _w_r_is_trained(rng: Random) -> Iterator[Case]:
    half = rng.randint(5, 9)
    positions = draws.integers(rng, MAX_LEN, 11)

    def ask(answer: Answer) -> dict[str, Any]:
        module = answer(d_model=20, num_features=2 * half)
        frequencies = module.frequencies
        return {
            "the shape of frequencies": tuple(frequencies.shape),
            "their shape without num_features": tuple(answer(d_model=20).frequencies.shape),
            "it is kept as": common.kept_as(module, frequencies),
            "all that is trained": sorted(name for name, _ in module.named_parameters()),
            "a step of gradient descent changes the features": common.learns(
                module, lambda: module.features(positions)
            ),
        }

    yield Case(f"a new module with num_features={2 * half}", ask)


def _w_r_begins(rng: Random) -> Iterator[Case]:
    def ask(answer: Answer, gamma: float | None = None) -> dict[str, Any]:
        given = {"gamma": gamma} if gamma else {}
        new = [answer(4, 4, **given, num_features=10_000).frequencies for _ in range(4)]
        return common.begins(new, 1 / (gamma or 1))

    for gamma in (rng.choice((0.2, 0.25, 0.4)), rng.choice((4.0, 10.0, 28.0))):
        yield Case(f"W_r of a new module with gamma={gamma:g}", partial(ask, gamma=gamma))
    yield Case("W_r of a new module without gamma, which is 1", ask)


def _equation_6(rng: Random) -> Iterator[Case]:
    length = rng.randint(5, 7)
    yield _mlp_case(rng, 16, length)
    yield _mlp_case(rng, 20, length, training=False)  # as many features as d_model
    yield _mlp_case(rng, 12, rng.randint(MAX_LEN + 1, 2 * MAX_LEN))


def _mlp_case(rng: Random, num_features: int, *shape: int, training: bool = True) -> Case:
    """The MLP of the features as they are; and where it takes no notice of them."""
    seed, positions = rng.randrange(1000), draws.integers(rng, 2 * MAX_LEN, *shape)
    positions[..., -1] += rng.randint(1000, 9000)

    def ask(answer: Answer) -> dict[str, Any]:
        module = _with_weights(answer, num_features, seed).train(training)
        expected = module.mlp(module.features(positions))
        found = call(positions).ask(module.vectors)
        difference = found - expected if found.shape == expected.shape else found
        module.mlp[0].weight.data.zero_()
        return {
            "the vectors minus mlp(features(positions))": difference,
            "the vectors where the first weights of mlp are 0": module.vectors(positions),
        }

    words = f"vectors of positions of shape {shape}{'' if training else ', after eval()'}"
    return Case(f"{words}, with given weights and num_features={num_features}, d_model=20", ask)


def _of_any_shape(rng: Random) -> Iterator[Case]:
    more, less = rng.randint(6, 9), rng.randint(2, 4)
    for shape in ((less, more), (more, less), (more, more), (1, more), (less, 1)):
        yield _features_case(rng, *shape)
    yield _mlp_case(rng, 16, less, more)
    yield _mlp_case(rng, 12, more, less, training=False)
    positions = draws.integers(rng, 40, less, more)
    words = f"shape of vectors(positions) with positions of shape {tuple(positions.shape)}"
    yield Case(words, lambda answer: tuple(_with_weights(answer, 16, 0).vectors(positions).shape))


def _backwards(rng: Random) -> Iterator[Case]:
    positions, seed = draws.integers(rng, 40, 2, rng.randint(5, 7)), rng.randrange(1000)

    def ask(answer: Answer, method: str, positions: Tensor, training: bool) -> dict[str, Any]:
        module = _with_weights(answer, 16, seed).train(training)
        return common.differentiated(module, method, positions)

    for method, some, training in (
        ("features", positions, True),
        ("vectors", positions, True),
        ("vectors", positions[0], False),
    ):
        label = f"{method}(positions) of shape {tuple(some.shape)}{'' if training else ', eval()'}"
        yield Case(label, partial(ask, method=method, positions=some, training=training))


fourier = Exercise(
    "fourier",
    FourierFeatures,
    (
        Part("equation 2: the features", 0.5, _equation_2),
        Part("W_r is trained", 0.5, _w_r_is_trained),
        Part("W_r begins with variance 1/γ²", 0.5, _w_r_begins),
        Part("equation 6: the MLP of the features", 0.5, _equation_6),
        Part("positions (B, T) as well", 0.5, _of_any_shape),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(encodings.Fourier,),
    explains=("Complete `FourierFeatures`", "an even number"),
    generic={
        "have the dtype and the precision of the parameters": DTYPE,
        "gradients reach $W_r$ and `self.mlp`": NO_GRADIENT,
        "`positions` stays as it is": IN_PLACE,
    },
    module=__name__,
)
