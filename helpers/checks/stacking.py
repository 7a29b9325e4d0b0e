"""Unit 06, stacking: what its exercises ask and look at."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import probes
from helpers.checks import compare
from helpers.checks.exercise import Answer, Case, Exercise, Part, call
from helpers.checks.mistakes import stacking as mistakes
from helpers.checks.stacking_structure import convolution, depths, tree

__all__ = ["convolution", "cost", "depths", "probe", "residual", "tree"]


def _normal(rng: Random, *shape: int) -> Tensor:
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(*shape, generator=draw, dtype=torch.float64)


def _one_sequence(rng: Random) -> Iterator[Case]:
    for stretch in (1, 3):
        x = _normal(rng, 1, rng.randint(8, 12), rng.randint(4, 6))
        yield call(stretch * x + 1)


def _several(rng: Random) -> Iterator[Case]:
    x = _normal(rng, rng.randint(2, 3), rng.randint(8, 12), rng.randint(4, 6))
    apart = torch.arange(1.0, len(x) + 1, dtype=torch.float64)  # mean rows that are unlike
    yield call((-1) ** apart[:, None, None] * apart[:, None, None] + x)


def _collapsed(rng: Random) -> Iterator[Case]:
    for size in (1e-6, 1e-9):
        x = 3 + size * _normal(rng, 1, rng.randint(8, 12), rng.randint(4, 6))

        def ask(answer: Answer, x: Tensor = x) -> Any:
            found = answer(x.clone())
            tensor = compare.as_tensor(found)
            return found if tensor is None else tensor.nan_to_num().clamp_min(1e-30).log10()

        label = f"rows in float64 that differ by about {size:g}, log10 of the residual"
        yield Case(label, ask)


residual = Exercise(
    "residual",
    probes.rank_residual,
    (
        Part("one sequence", 0.5, _one_sequence),
        Part("each sequence of a batch by itself", 0.5, _several),
        Part("rows that are almost the same", 0.5, _collapsed),
    ),
    mistakes.RESIDUAL,
)


def _states(rng: Random, number: int, length: int, width: int) -> Tensor:
    """States that know their position a little, (number, length, width)."""
    x = _normal(rng, number, length, width)
    x[..., 1] += 0.3 * (torch.arange(length) - 6)
    return x


def _probed(rng: Random, longer: int = 0, **ridge: float) -> Case:
    """All sizes different: N and M sequences, T and T' positions, D."""
    train = _states(rng, rng.randint(16, 19), rng.randint(11, 14), 5)
    test = _states(rng, rng.randint(7, 9), train.shape[1] + longer, 5)
    options = "".join(f", ridge={value:g}" for value in ridge.values())

    def ask(answer: Answer) -> Any:
        found = answer(train.clone(), test.clone(), **ridge)
        return torch.tensor(float(found)) if isinstance(found, float | int) else found

    return Case(f"(train {tuple(train.shape)}, test {tuple(test.shape)}{options})", ask)


def _new_sequences(rng: Random) -> Iterator[Case]:
    yield _probed(rng)
    yield _probed(rng)


def _another_length(rng: Random) -> Iterator[Case]:
    yield _probed(rng, longer=-rng.randint(3, 4))
    yield _probed(rng, longer=rng.randint(5, 6))


def _any_ridge(rng: Random) -> Iterator[Case]:
    yield _probed(rng, ridge=rng.choice((10.0, 20.0)))
    yield _probed(rng, ridge=rng.choice((50.0, 80.0)))


probe = Exercise(
    "probe",
    probes.position_probe,
    (
        Part("fitted on some sequences, tested on others", 1, _new_sequences),
        Part("test sequences of another length", 0.5, _another_length),
        Part("any ridge", 0.5, _any_ridge),
    ),
    mistakes.PROBE,
)


def _multiply_adds(length: int, d_model: int, num_heads: int) -> dict[str, int]:
    """Multiplications in one layer for one sequence, by what they are for."""
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


def _counted(rng: Random, name: str) -> Iterator[Case]:
    """Sizes that no two formulas share."""
    for heads in (2, 3):
        length, width = rng.randint(20, 90), heads * rng.randint(8, 20)

        def ask(
            answer: Answer, length: int = length, width: int = width, heads: int = heads
        ) -> Any:
            found = answer(length, width, heads)
            if found is None:
                return None
            if type(found) is not dict:
                raise TypeError(f"expected a dict of three numbers, found {type(found).__name__}")
            if name not in found:
                raise KeyError(f"the dict has no entry {name}")
            number = found[name]
            return torch.tensor(float(number)) if isinstance(number, float | int) else number

        yield Case(f'({length}, {width}, {heads})["{name}"]', ask)


def _projections(rng: Random) -> Iterator[Case]:
    return _counted(rng, "projections")


def _pairs(rng: Random) -> Iterator[Case]:
    return _counted(rng, "pairs")


def _mlp(rng: Random) -> Iterator[Case]:
    return _counted(rng, "mlp")


cost = Exercise(
    "cost",
    _multiply_adds,
    (
        Part("the projections", 0.5, _projections),
        Part("all pairs", 0.5, _pairs),
        Part("the MLP", 0.5, _mlp),
    ),
    mistakes.COST,
)
