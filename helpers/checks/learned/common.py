"""Unit 03: what several of its exercises draw and ask with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from helpers.checks.engine import Answer
from helpers.checks.engine.case import SEVEN, SIXTEEN

# How far the moments of a right answer's draws may lie from what is expected of them, in standard
# deviations: beyond 6 comes one draw in 500 million.
FARTHEST = 6


def made(answer: Answer, **sizes: Any) -> Any:
    """Return a module of several heads; one of other sizes is made after it, which changes none."""
    width = sizes["d_model"]
    heads = next((heads for heads in range(2, width) if width % heads == 0), width)
    module = answer(**sizes, num_heads=heads)
    answer(**{name: 2 * size + 2 for name, size in sizes.items()}, num_heads=2)
    return module


def differentiated(module: Any, method: str, positions: Tensor) -> dict[str, Any]:
    """Ask a method for its dtypes and digits, and for the gradient of each parameter in float64."""
    single = getattr(module, method)(positions)
    found = getattr(module.double(), method)(positions)
    if found.requires_grad:
        found.sin().sum().backward()
    exact = (found.detach().float().double() != found).any()
    return {
        "its dtype": str(single.dtype),
        "its dtype after module.double()": str(found.dtype),
        "the result has": SIXTEEN if exact else SEVEN,
        "the result after module.double()": found,
        **{f"the gradient of {name}": each.grad for name, each in module.named_parameters()},
    }


def learns(module: nn.Module, result: Callable[[], Tensor]) -> bool:
    """Whether a step of gradient descent changes a result.

    Not an optimiser's: the first one of a process takes seconds to load.
    """
    before = result()
    if not before.requires_grad:
        return False
    before.sin().sum().backward()
    for each in module.parameters():
        if each.grad is not None:
            each.data.sub_(each.grad, alpha=0.1)
    return not torch.allclose(result(), before)


def kept_as(module: nn.Module, tensor: Any) -> str:
    """Say how a module keeps a tensor, and so whether an optimiser finds it."""
    if not isinstance(tensor, Tensor):
        return f"an object of type {type(tensor).__name__}"
    if any(tensor is each for each in module.parameters()):
        return "a Parameter" if tensor.requires_grad else "a Parameter without requires_grad"
    if any(tensor is each for each in module.buffers()):
        return "a buffer"
    return "a plain tensor" if tensor.is_leaf else "the result of a computation"


def begins(several: Sequence[Tensor], std: float) -> dict[str, Any]:
    """Tell the moments of draws of N(0, std²), one of each new module, coarsely and in words."""
    numbers = torch.cat([each.detach().double().flatten() for each in several]) / std
    bound = FARTHEST / math.sqrt(len(numbers))
    fourth = (numbers.pow(4).mean() / numbers.square().mean().square()).item()
    return {
        "their standard deviation": _about(numbers.std().item(), 1, bound / math.sqrt(2), std),
        "their mean": _about(numbers.mean().item(), 0, bound, std),
        "they are normal, by their fourth moment": abs(fourth - 3) < bound * math.sqrt(24),
        "nearly all numbers differ": len(numbers.unique()) > 0.9 * len(numbers),
    }


def _about(found: float, right: float, bound: float, std: float) -> float:
    """Return the right value where what is found is no farther from it than by chance."""
    return right * std if abs(found - right) <= bound else float(f"{found * std:.2g}")
