"""What unit 06 says of stacks with fresh weights holds for any draw of them, not for one."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from helpers.encodings import Encoding
from helpers.model.attention import EncoderLayer
from helpers.model.probes import rank_residual

Step = Callable[[Any, Tensor], Tensor]
SEEDS = (11, 12)


@torch.no_grad()
def _states(step: Step, seed: int, depth: int) -> list[Tensor]:
    torch.manual_seed(seed)
    states = [torch.randn(4, 32, 64, dtype=torch.float64)]
    for _ in range(depth):
        layer = EncoderLayer(Encoding(64, num_heads=4)).double()
        states.append(step(layer, states[-1]))
    return states


def _with_skip(layer: Any, x: Tensor) -> Tensor:
    return x + torch.as_tensor(layer.attention(x))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_skip_prevents_the_collapse_and_an_mlp_does_not(seed: int) -> None:
    steps: list[Step] = [
        lambda layer, x: layer.attention(x),
        lambda layer, x: layer.mlp(layer.attention(x)),
        _with_skip,
    ]
    alone, mlp, skip = (
        [rank_residual(x).mean().item() for x in _states(step, seed, 6)] for step in steps
    )
    assert alone[3] < 1e-12 and mlp[3] < 1e-12
    assert mlp[1] < alone[1] and mlp[2] < alone[2]
    assert skip[6] > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_with_a_skip_the_differences_stay_and_what_is_shared_grows(seed: int) -> None:
    states = _states(_with_skip, seed, 48)
    shared = [x.mean(1, keepdim=True).expand_as(x) for x in states]
    rest = [(x - y).norm() for x, y in zip(states, shared, strict=True)]
    assert 0.95 < rest[-1] / rest[0] < 1.05
    assert shared[-1].norm() > 10 * shared[0].norm()
    assert 0.1 < rank_residual(states[-1]).mean() < 0.4
