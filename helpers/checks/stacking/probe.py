"""Unit 06, “A fair probe”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks.engine import IN_PLACE, Case, Exercise, Part, call, compare
from helpers.checks.stacking import common
from helpers.model import probes


def _states(rng: Random, number: int, length: int, width: int) -> Tensor:
    """States that know their position a little, (number, length, width)."""
    x = common.normal_numbers(rng, number, length, width)
    x[..., -1] += 0.5 * (torch.arange(length) - 6)
    return x


def _of(train: Tensor, test: Tensor, *ridge: float, **named: float) -> Case:
    """What the answer says for these states, float or tensor."""
    options = [f"{value:.3g}" for value in ridge]
    options += [f"{name}={value:.3g}" for name, value in named.items()]
    shapes = [f"train {tuple(train.shape)}", f"test {tuple(test.shape)}"]
    label = f"({', '.join(shapes + options)})"
    return call(train, test, *ridge, **named).labelled(label).map(compare.as_number)


def _new_sequences(rng: Random) -> Iterator[Case]:
    """The same shapes twice; N and M sequences, T positions, width D."""
    number, length, width = rng.randint(16, 19), rng.randint(11, 14), rng.randint(4, 6)
    others = rng.randint(7, 9)
    for _ in range(2):
        yield _of(_states(rng, number, length, width), _states(rng, others, length, width))
    yield _of(_states(rng, rng.randint(40, 44), 7, 5), _states(rng, rng.randint(36, 39), 7, 5))


def _another_length(rng: Random) -> Iterator[Case]:
    for number, longer in ((8, -rng.randint(3, 4)), (7, rng.randint(5, 6)), (1, rng.randint(2, 4))):
        length = rng.randint(11, 14)
        train = _states(rng, rng.randint(16, 19), length, 5)
        yield _of(train, _states(rng, number, length + longer, 5))
    number, length = rng.randint(16, 19), rng.randint(11, 14)
    yield _of(_states(rng, number, length, 1), _states(rng, rng.randint(7, 9), length + 2, 1))
    yield _of(_states(rng, number, length, 4), _states(rng, rng.randint(7, 9), 1, 4))
    # More positions than eight bits can count.
    long = rng.randint(270, 280)
    train, test = _states(rng, 3, long, 3), _states(rng, 2, long + 2, 3)
    yield _of(0.05 * train, 0.05 * test)


def _any_ridge(rng: Random) -> Iterator[Case]:
    length, width = rng.randint(11, 14), rng.randint(1, 3)
    train = _states(rng, rng.randint(16, 19), length, 5)
    test = _states(rng, rng.randint(7, 9), length, 5)
    yield _of(train, test, ridge=rng.uniform(10, 20))
    yield _of(train, test, rng.uniform(50, 80))
    yield _of(train, test, ridge=rng.randint(2, 9))  # an int
    yield _of(train, test, ridge=rng.uniform(300, 900))
    yield _of(train, test, ridge=10 ** rng.uniform(4.2, 4.9))
    one = _states(rng, 1, length, width)
    yield _of(one, _states(rng, 1, length - 2, width), ridge=rng.uniform(0.5, 2))
    number = rng.randint(3, 6)
    yield _of(_states(rng, number, 1, 3), _states(rng, number, rng.randint(3, 6), 3), ridge=0.5)


def _hard(rng: Random) -> Iterator[Case]:
    """More weights than rows, where even the default ridge shows; rows that hardly differ."""
    sizes = rng.randint(3, 4), rng.randint(5, 7), rng.randint(34, 40)
    train, test = _states(rng, *sizes), _states(rng, sizes[0] + 2, sizes[1] + 1, sizes[2])
    yield _of(0.03 * train, 0.03 * test)
    yield _of(0.1 * train, 0.1 * test, ridge=rng.uniform(0.5, 1))
    yield _of(1e-4 * train, 1e-4 * test, ridge=10 ** -rng.uniform(8.5, 9.5))
    width = rng.randint(4, 6)
    train, test = _states(rng, 17, 12, width), _states(rng, 8, 12, width)
    row = 3 + common.normal_numbers(rng, width).abs()
    yield _of(row + 0.003 * train, row + 0.003 * test, ridge=10 ** -rng.uniform(6, 7))
    # So alike that float32 shows in the weights; far off, so that all errors have the same sign.
    for _ in range(2):
        far = _states(rng, 3, 1, width) + 8 * torch.eye(width, dtype=torch.float64)[-1]
        yield _of(row + 1e-5 * train, row + 1e-5 * far, ridge=10 ** -rng.uniform(6.8, 7.2))
        train = _states(rng, 17, 12, width)


probe = Exercise(
    "probe",
    probes.position_probe,
    (
        Part("fitted on some sequences, tested on others", 0.5, _new_sequences),
        Part("test sequences of another length", 0.5, _another_length),
        Part("any ridge", 0.5, _any_ridge),
        Part("few rows, and states that are nearly alike", 0.5, _hard),
    ),
    forbidden=(probes._rows,),
    explains=(
        "The rank residual says whether rows differ.",
        "It does not say whether they still know",
        "It gets the states `train` of some sequences",
    ),
    generic={"Neither tensor may be modified": IN_PLACE},
    module=__name__,
)
