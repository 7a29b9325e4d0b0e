"""Unit 03: what several of its exercises draw and ask with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import pairwise
from random import Random
from typing import Any
from zlib import crc32

import torch
from torch import Generator, Tensor, nn

# How far a right answer's random numbers may lie from what is expected of them, in standard
# deviations: beyond 6 comes one draw in 500 million.
FARTHEST = 6
DIGITS = "after module.double() they have more digits than float32"


def normal_numbers(rng: Random, *shape: int) -> Tensor:
    """Normal random numbers, float32."""
    return torch.randn(shape, generator=Generator().manual_seed(rng.randrange(2**31)))


def random_positions(rng: Random, below: int, *shape: int) -> Tensor:
    """Random positions, in no order."""
    return torch.randint(below, shape, generator=Generator().manual_seed(rng.randrange(2**31)))


def with_fixed_weights(module: nn.Module, seed: int, *parts: str) -> Any:
    """Weights of these parts depend on their names only, so that two modules compute the same."""
    for name, weight in module.named_parameters():
        if name.partition(".")[0] in parts:
            draw = Generator().manual_seed(crc32(name.encode()) + seed)
            width = weight.shape[-1] if weight.dim() > 1 else 1
            weight.data = torch.randn(weight.shape, generator=draw) / math.sqrt(width)
    return module


def made(answer: Callable[..., Any], **sizes: Any) -> Any:
    """A new module of several heads, and behind it one of other sizes: its sizes are its own."""
    module = answer(**sizes, num_heads=some_heads(sizes["d_model"]))
    answer(**{name: 2 * size + 2 for name, size in sizes.items()}, num_heads=2)
    return module


def some_heads(width: int) -> int:
    """The smallest number of heads above 1 that vectors of this width can be cut into."""
    return next((heads for heads in range(2, width) if width % heads == 0), width)


def descend(trained: Iterable[Tensor]) -> None:
    """A step of gradient descent; the first optimiser of a process would take seconds to load."""
    for each in trained:
        if each.grad is not None:
            each.data.sub_(each.grad, alpha=0.1)


def kept_as(module: nn.Module, tensor: Any) -> str:
    """In what way a module keeps a tensor, and so whether an optimiser finds it."""
    if not isinstance(tensor, Tensor):
        return f"an object of type {type(tensor).__name__}"
    if any(tensor is each for each in module.parameters()):
        return "a Parameter" if tensor.requires_grad else "a Parameter without requires_grad"
    if any(tensor is each for each in module.buffers()):
        return "a buffer"
    if tensor.grad_fn is not None:
        return "the result of a computation"
    return "a tensor with requires_grad" if tensor.requires_grad else "a plain tensor"


def begins(several: Iterable[Tensor], wanted: float) -> dict[str, Any]:
    """What draws of N(0, wanted²), one of each new module, look like, coarsely and in words."""
    drawn = [each.detach().double().flatten() for each in several]
    numbers = torch.cat(drawn)
    n = len(numbers)
    differ = all(map(_differ, drawn))
    alike = any(torch.equal(*pair) for pair in pairwise(drawn))
    # One draw that is seen several times says nothing about the distribution.
    once = differ and alike
    farthest = math.inf if once else FARTHEST
    shown = {
        "nearly all numbers differ in more than the sign": differ,
        "two new modules begin with the same numbers": alike,
        "their standard deviation": _about(
            numbers.std().item(), wanted, farthest * wanted / math.sqrt(2 * n), f"{wanted:g}"
        ),
        "their mean": _about(numbers.mean().item(), 0, farthest * wanted / math.sqrt(n), "0"),
        "each number is independent of the one before it": _independent(drawn, once),
    }
    # 3 for normal numbers, 1.8 for uniform ones; the variance of the mean of n is about 24/n.
    fourth = (numbers.pow(4).mean() / numbers.square().mean().square()).item()
    shown["the mean of their fourth powers, in squares of the variance"] = _about(
        fourth, 3, farthest * math.sqrt(24 / n), "as in a normal distribution"
    )
    return shown


def _differ(numbers: Tensor) -> bool:
    return len(numbers) > 1 and len(numbers.abs().unique()) >= 0.9 * len(numbers)


def _independent(drawn: list[Tensor], once: bool) -> bool:
    """Whether neighbours go together no more than chance has it, over all modules.

    Of a single draw, seen several times, only what is no chance at all is told.
    """
    pairs = [torch.stack([numbers[1:], numbers[:-1]]) for numbers in drawn]
    if any(pair.shape[1] < 2 for pair in pairs):
        return False
    related = torch.stack([torch.corrcoef(pair)[0, 1] for pair in pairs]).mean().item()
    return abs(related) < (0.9 if once else FARTHEST / math.sqrt(sum(map(len, drawn))))


def _about(found: float, wanted: float, bound: float, words: str) -> str:
    return words if abs(found - wanted) <= bound else f"{found:.2g}"


def gradients(result: Callable[[], Tensor], leaves: dict[str, Tensor | None]) -> dict[str, str]:
    """For each leaf, in words, its gradient over the slope that is measured by moving it.

    So a gradient is judged apart from what is computed. It takes float64: in float32 so small a
    slope is lost among what is rounded away.
    """
    found = result()
    if found.dtype != torch.float64:
        return {f"the gradient of {name}": "not measured" for name in leaves}
    weights = torch.arange(1, found.numel() + 1, dtype=found.dtype).cos().reshape(found.shape)
    if found.requires_grad:
        (found * weights).sum().backward()
    words: dict[str, str] = {}
    for name, leaf in leaves.items():
        if leaf is None:
            words[f"the gradient of {name}"] = f"there is no {name}"
            continue
        way = torch.randn(leaf.shape, generator=Generator().manual_seed(0), dtype=leaf.dtype)
        slope = _slope(lambda: (result() * weights).sum().item(), leaf, way)
        told = 0.0 if leaf.grad is None else (leaf.grad * way).sum().item()
        words[f"the gradient of {name}"] = _in_words(name, told, slope)
    return words


def beyond_float32(found: Tensor) -> bool:
    """Whether there are digits that float32 has not, as where nothing was computed in it."""
    return bool((found.detach().float().double() != found).any())


def _in_words(name: str, told: float, slope: float) -> str:
    if abs(slope) <= 1e-6:
        return f"0, as {name} have no effect on the result"
    if told == 0:
        return f"no gradient reaches {name}"
    share = told / slope
    if abs(share - 1) < 1e-3:
        return "right"
    if abs(share) < 1e-4:
        return "unrelated to the slope, or different from call to call"
    return f"{share:.2g} times the right one" if abs(share - 1) > 0.05 else "nearly right: rounded"


def _slope(loss: Callable[[], float], leaf: Tensor, way: Tensor, step: float = 1e-6) -> float:
    leaf.data.add_(way, alpha=step)
    above = loss()
    leaf.data.sub_(way, alpha=2 * step)
    below = loss()
    leaf.data.add_(way, alpha=step)
    return (above - below) / (2 * step)
