"""Unit 05: what several of its exercises draw and ask with."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case
from helpers.checks.engine.case import REACHED, unchanged
from helpers.checks.positions import by

NO_GRADIENT = (
    "No gradient comes back through your result. What cuts it off: detach, .data, no_grad or NumPy?"
)


def normal_numbers(rng: Random, *shape: int) -> Tensor:
    """Normal random numbers, float32."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(*shape, generator=draw)


def random_heads(rng: Random) -> Tensor:
    """(B, H, T, d) with four different sizes; d/2 is even, odd or 5."""
    return normal_numbers(rng, 2, 3, rng.choice((5, 7, 9)), rng.choice((8, 10, 12)))


def views(x: Tensor) -> Tensor:
    """The same numbers as heads come out of a projection: a view of (B, T, H, d), transposed."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def columns_apart(x: Tensor) -> Tensor:
    """The same numbers as x.mT of another tensor has them: neighbours of a row are far apart."""
    return x.mT.contiguous().mT


def turned(x: Tensor, base: float = 10_000.0, layout: str = "interleaved") -> Tensor:
    """Pair n of the vector at position p turned by p·θ_n, (B, H, T, d)."""
    return encodings.Rotary(x.shape[-1], base=base, layout=layout).rotate(x, x, by(x))[0]


def derivative(
    label: str, x: Tensor, of: Callable[[Answer], Callable[[Tensor], Any]], step: float = 0.1
) -> Case:
    """The dtypes, and whether the gradient is the derivative of the answer's own result.

    A result has a derivative whether it is right or wrong, so this asks nothing of the result: a
    mistake in one branch of a function loses no points here.

    Args:
        step: how far to go for the derivative; where the result is linear in x, any step will do.
    """

    def ask(answer: Answer) -> Any:
        function = of(answer)
        at = x.double().requires_grad_()
        result = function(at)
        if type(result) is not Tensor:
            return result
        weights = torch.arange(1, result.numel() + 1, dtype=torch.float64).cos()
        weights = weights.reshape(result.shape)
        if result.requires_grad:
            (result * weights).sum().backward()
        single = x.clone()
        kind = str(getattr(function(single), "dtype", "none"))
        gradient = torch.zeros_like(at) if at.grad is None else at.grad
        return {
            "its dtype": str(result.dtype),
            "its dtype for float32": kind,
            "requires_grad of the argument is switched on": single.requires_grad,
            "a gradient comes back": bool((gradient != 0).any()),
            "the gradient": "nan"
            if gradient.isnan().any()
            else "that of your result"
            if all(_fits(function, x.double(), gradient, weights, step * way) for way in _ways(x))
            else "not that of your result",
        }

    return Case(f"{label} in float64", ask)


def never_nan(
    label: str, of: Callable[[Answer], Answer] = lambda answer: answer, **arguments: Tensor
) -> Case:
    """The result, and which arguments get a gradient that is nan; none at all is no matter here."""

    def ask(answer: Answer) -> Any:
        given = {name: each.clone().requires_grad_() for name, each in arguments.items()}
        result = of(answer)(*given.values())
        unchanged(tuple(given.values()), tuple(arguments.values()))
        if type(result) is not Tensor:
            return result
        if result.requires_grad:
            weights = torch.arange(1, result.numel() + 1, dtype=result.dtype).cos()
            (result * weights.reshape(result.shape)).sum().backward()
        grads = {name: each.grad for name, each in given.items() if each.grad is not None}
        return {
            "the result": result,
            "arguments whose gradient is nan": [n for n, g in grads.items() if g.isnan().any()],
        }

    return Case(label, ask)


def reached(
    label: str, of: Callable[[Answer], Answer] = lambda answer: answer, **arguments: Tensor
) -> Case:
    """The arguments that get a gradient at all, whatever it is."""

    def ask(answer: Answer) -> Any:
        given = {name: each.clone().requires_grad_() for name, each in arguments.items()}
        result = of(answer)(*given.values())
        if type(result) is not Tensor:
            return result
        if result.requires_grad:
            result.sum().backward()
        return {REACHED: [name for name, each in given.items() if each.grad is not None]}

    return Case(label, ask)


def _ways(x: Tensor) -> list[Tensor]:
    each = torch.arange(1, x.numel() + 1, dtype=torch.float64).reshape(x.shape)
    return [each.sin(), (2 * each).sin(), (3 * each).cos()]


def _fits(
    function: Callable[[Tensor], Any], x: Tensor, gradient: Tensor, weights: Tensor, way: Tensor
) -> bool:
    rise = ((function(x + way) - function(x - way)) * weights).sum() / 2 / way.norm()
    return bool((rise - (gradient * way).sum() / way.norm()).abs() < 1e-3)
