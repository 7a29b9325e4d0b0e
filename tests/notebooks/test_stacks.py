"""What unit 06 says of stacks with fresh weights holds for any draw of them, not for one."""

from collections.abc import Callable
from decimal import Decimal, getcontext
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from benchmarks.stack_study import built
from helpers.corpora import LagLanguage
from helpers.encodings import Encoding
from helpers.model.attention import EncoderLayer
from helpers.model.probes import rank_residual
from helpers.training import masked_loss

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


@pytest.mark.parametrize("seed", SEEDS)
def test_the_zeros_triple(seed: int) -> None:
    getcontext().prec = 300
    exact = np.vectorize(lambda number: Decimal(float(number)), otypes=[object])
    exp = np.vectorize(Decimal.exp, otypes=[object])
    weights, width = np.random.default_rng(seed), 8
    x, zeros = exact(weights.normal(size=(6, width))), []
    for _ in range(6):
        q, k, v = (x @ exact(weights.normal(size=(width, width)) / width**0.5) for _ in range(3))
        alpha = exp(q @ k.T / Decimal(width).sqrt())
        x = alpha / alpha.sum(1, keepdims=True) @ v
        zeros.append(-((x.max(0) - x.min(0)).max() / abs(x).max()).adjusted() - 1)
    assert zeros[-1] > 20
    assert all(2.3 < b / a < 3.8 for a, b in pairwise(zeros) if a >= 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_without_skips_hardly_any_gradient_reaches_the_upper_queries_and_keys(seed: int) -> None:
    with_skips, none = _pulls("with skips", seed), _pulls("no skips", seed)
    assert all(none[layer] < 1e-3 * with_skips[layer] for layer in (2, 3))


def _pulls(kind: str, seed: int) -> list[float]:
    """Size of the gradient at queries and keys, by layer."""
    torch.manual_seed(seed)
    task = LagLanguage()
    model = built(kind, task.vocab_size)
    masked_loss(model, task.batch(100, 24, torch.Generator().manual_seed(1))).backward()
    sizes = []
    for layer in range(4):
        grad = model.get_parameter(f"layers.{layer}.attention.qkv.weight").grad
        assert grad is not None
        sizes.append(grad[: 2 * 48].norm().item())
    return sizes
