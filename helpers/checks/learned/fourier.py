"""Unit 03, “Learnable Fourier features”: what it asks, and what people write instead.

Mistakes are in fourier_features.py; those about W_r and its angles in fourier_frequencies.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor, nn

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, unchanged
from helpers.checks.learned import common
from helpers.encodings.absolute import Additive


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


MLP = ("mlp.0.weight", "mlp.0.bias", "mlp.2.weight", "mlp.2.bias")
MAX_LEN = 30  # it plays no part, and positions go beyond it


def _fourier_with(answer: Answer, num_features: int, seed: int) -> Any:
    gamma = (0.5, 1.0, 3.0)[seed % 3]  # which W_r begins with, and nothing else
    sizes = {"d_model": 20, "max_len": MAX_LEN, "num_features": num_features}
    module = common.made(answer, **sizes, gamma=gamma)
    module = common.with_fixed_weights(module, seed, "mlp")
    draw = Generator().manual_seed(seed)
    frequencies = torch.randn(num_features // 2, generator=draw)
    leading = module.frequencies.shape[:-1]  # where W_r is a row (1, D_F/2), that is told elsewhere
    module.frequencies.data = frequencies.reshape(*leading, -1).to(module.frequencies.dtype)
    return module


def _asked(method: Callable[[Tensor], Any], positions: Tensor) -> Any:
    """What a method returns, if it leaves its argument as it is."""
    given = positions.clone()
    result = method(given)
    unchanged((given,), (positions,))
    return result


def _features_case(rng: Random, *shape: int) -> Case:
    """The module is asked twice, since positions may differ where their shape does not."""
    seed, num_features = rng.randrange(1000), 2 * rng.choice((1, 5, 6, 7, 8, 13))
    first, second = (common.random_positions(rng, 2 * MAX_LEN, *shape) for _ in range(2))

    def ask(answer: Answer) -> dict[str, Any]:
        module = _fourier_with(answer, num_features, seed)
        return {
            "the features": _asked(module.features, first),
            "those of other positions": _asked(module.eval().features, second),
        }

    words = f"features of positions of shape {shape}, twice"
    return Case(f"{words}, with given W_r and num_features={num_features}", ask)


def _equation_2(rng: Random) -> Iterator[Case]:
    yield _features_case(rng, rng.randint(5, 9))
    yield _features_case(rng, rng.randint(65, 80))
    yield _features_case(rng, 1)
    yield _far(rng)
    yield _farther(rng)


def _far(rng: Random) -> Case:
    """Odd positions, since half precision has the even ones up to 4,096."""
    positions = 501 + 2 * common.random_positions(rng, 750, 8)
    positions = torch.cat([positions, 2049 + 2 * common.random_positions(rng, 1025, 8)])
    return _slow_case("from 501 to 4,097", rng.randrange(1000), positions, 0.04)


def _farther(rng: Random) -> Case:
    positions = 40_001 + 2 * common.random_positions(rng, 9000, 8)
    positions = torch.cat([positions, 70_001 + 2 * common.random_positions(rng, 40_000, 8)])
    return _slow_case("beyond 40,000 and 70,000", rng.randrange(1000), positions, 0.002)


def _slow_case(words: str, seed: int, positions: Tensor, slower: float) -> Case:
    def ask(answer: Answer) -> Any:
        module = _fourier_with(answer, 4, seed)
        module.frequencies.data.mul_(slower)  # so that the angles are exact in float32
        return _asked(module.features, positions)

    return Case(f"features of positions {words}, with given W_r", ask)


def _w_r_is_trained(rng: Random) -> Iterator[Case]:
    half = rng.randint(5, 9)
    positions = common.random_positions(rng, MAX_LEN, 11)

    def ask(answer: Answer) -> dict[str, Any]:
        module = answer(d_model=20, num_features=2 * half)
        frequencies = module.frequencies
        return {
            "the shape of frequencies": tuple(frequencies.shape),
            "their shape without num_features": tuple(answer(d_model=20).frequencies.shape),
            "its dtype": str(frequencies.dtype),
            "it is kept as": common.kept_as(module, frequencies),
            "all that is trained": sorted(name for name, _ in module.named_parameters()),
            "a step of gradient descent changes the features": _moves(module, positions),
        }

    yield Case(f"a new module with num_features={2 * half}", ask)


def _moves(module: Any, positions: Tensor) -> bool:
    before = module.features(positions).clone()
    trained = [each for each in module.parameters() if each.requires_grad]
    if not (trained and before.requires_grad):
        return False
    before.sum().backward()
    common.descend(trained)
    return not torch.allclose(module.features(positions), before)


def _w_r_begins(rng: Random) -> Iterator[Case]:
    def ask(answer: Answer, gamma: float | None = None) -> dict[str, Any]:
        # Many small modules: a covariance of so many numbers is still quickly worked with.
        given, gamma = {"gamma": gamma} if gamma else {}, gamma or 1.0
        new = [answer(4, 4, **given, num_features=1000).frequencies for _ in range(80)]
        lengths = torch.stack([each.detach().norm() for each in new]) * gamma
        spread = torch.stack([each.detach().flatten() for each in new]).std(0) * gamma
        return common.begins(new, 1 / gamma) | {
            "their lengths vary from module to module as random draws do": bool(
                0.5 < lengths.std() * math.sqrt(2) < 1.5
            ),
            "each of them varies from module to module": bool(spread.min() > 0.5),
        }

    choices = ((0.2, 0.25, 0.4), (4.0, 8.0, 10.0), (24.0, 28.0, 32.0))
    for gamma in map(rng.choice, choices):
        yield Case(f"W_r of a new module with gamma={gamma:g}", partial(ask, gamma=gamma))
    yield Case("W_r of a new module without gamma, which is 1", ask)


def _equation_6(rng: Random) -> Iterator[Case]:
    length = rng.randint(5, 7)
    yield _mlp_case(rng, 16, length)
    yield _mlp_case(rng, 20, length, training=False)  # as many features as d_model
    yield _mlp_case(rng, 12, rng.randint(MAX_LEN + 1, 2 * MAX_LEN))


def _mlp_case(rng: Random, num_features: int, *shape: int, training: bool = True) -> Case:
    """The MLP of the features as they are; and where it takes no notice of them."""
    seed, positions = rng.randrange(1000), common.random_positions(rng, 2 * MAX_LEN, *shape)
    positions[..., -1] += rng.randint(1000, 9000)

    def ask(answer: Answer) -> dict[str, Any]:
        module = _fourier_with(answer, num_features, seed).train(training)
        expected = module.mlp(module.features(positions))
        found = _asked(module.vectors, positions)
        difference = found - expected if found.shape == expected.shape else found
        module.mlp[0].weight.data.zero_()
        return {
            "the vectors minus mlp(features(positions))": difference,
            "the vectors where the first weights of mlp are 0": _asked(module.vectors, positions),
        }

    words = f"vectors of positions of shape {shape}{'' if training else ', after eval()'}"
    return Case(f"{words}, with given weights and num_features={num_features}, d_model=20", ask)


def _fourier_shapes(rng: Random) -> Iterator[Case]:
    more, less = rng.randint(6, 9), rng.randint(2, 4)
    for shape in ((less, more), (more, less), (more, more), (1, more), (less, 1), (18, less)):
        yield _features_case(rng, *shape)
    yield _mlp_case(rng, 16, less, more)
    yield _mlp_case(rng, 12, more, less, training=False)
    for shape in ((less, more), (1, more), (less, 1)):
        yield Case(
            f"shape of vectors(positions) with positions of shape {shape}",
            partial(_shape_of_vectors, positions=common.random_positions(rng, 40, *shape)),
        )


def _shape_of_vectors(answer: Answer, positions: Tensor) -> tuple[int, ...]:
    return tuple(_fourier_with(answer, 16, 0).vectors(positions).shape)


def _backwards(rng: Random) -> Iterator[Case]:
    positions, seed = common.random_positions(rng, 40, 2, rng.randint(5, 7)), rng.randrange(1000)

    def ask(
        answer: Answer, asked: str, training: bool = True, positions: Tensor = positions
    ) -> dict[str, Any]:
        positions = positions.clone()  # an answer may write into them
        module = _fourier_with(answer, 16, seed).train(training)
        method = getattr(module, asked)
        seen: dict[str, Any] = {"their dtype": str(method(positions).dtype)}
        module.double()
        found = method(positions)
        seen["their dtype after module.double()"] = str(found.dtype)
        seen[common.DIGITS] = common.beyond_float32(found)
        leaves: dict[str, Tensor | None] = {"frequencies": module.frequencies}
        if asked == "vectors":
            apart = (found - module.mlp(module.features(positions.clone()))).abs().max()
            seen["they are the MLP of rounded features"] = bool(1e-11 < apart < 1e-5)
            there = dict(module.named_parameters())
            leaves |= {name: there.get(name) for name in MLP}
        return seen | common.gradients(lambda: method(positions), leaves)

    yield Case("features(positions)", partial(ask, asked="features"))
    yield Case("vectors(positions)", partial(ask, asked="vectors"))
    words = "vectors(positions) with positions of shape (T,)"
    yield Case(words, partial(ask, asked="vectors", positions=positions[0]))
    words = "vectors(positions) after eval()"
    yield Case(words, partial(ask, asked="vectors", training=False))


fourier = Exercise(
    "fourier",
    FourierFeatures,
    (
        Part("equation 2: the features", 0.5, _equation_2),
        Part("W_r is trained", 0.5, _w_r_is_trained),
        Part("W_r begins with variance 1/γ²", 0.5, _w_r_begins),
        Part("equation 6: the MLP of the features", 0.5, _equation_6),
        Part("positions (B, T) as well", 0.5, _fourier_shapes),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(encodings.Fourier,),
    explains=("Complete `FourierFeatures`", "an even number"),
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
