"""A toy exercise, “twice x”, with the file of its mistakes beside it."""

import random
from collections.abc import Iterator

import torch
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part, call, differentiated

X = torch.tensor([[1.0, 2.0], [3.0, 5.0]])


def doubled(x: Tensor) -> Tensor:
    return 2 * x


def _numbers(_rng: random.Random) -> Iterator[Case]:
    yield call(X)
    yield call(X)


def _backwards(_rng: random.Random) -> Iterator[Case]:
    yield differentiated(x=X)


TOY = Exercise(
    "toy",
    doubled,
    (Part("numbers", 1, _numbers), Part("dtype and gradients", 1, _backwards)),
    module=__name__,
)
