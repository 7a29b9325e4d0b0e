"""Unit 05: what several of its exercises draw and ask with."""

from __future__ import annotations

from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.engine import Answer, Case, backward, compare
from helpers.checks.positions import by


def random_heads(rng: Random) -> Tensor:
    """Draw (B, H, T, d) with four different sizes; d/2 is even, odd or 5."""
    return draws.normal(rng, 2, 3, rng.choice((5, 7, 9)), rng.choice((8, 10, 12)))


def transposed(x: Tensor) -> Tensor:
    """Return the same numbers as a view in which `view` can merge no two axes, (B, H, T, d)."""
    return x.permute(3, 2, 1, 0).contiguous().permute(3, 2, 1, 0)


def turned(x: Tensor, base: float = 10_000.0, layout: str = "interleaved") -> Tensor:
    """Turn pair n of the vector at position p by p·θ_n, (B, H, T, d)."""
    return encodings.Rotary(x.shape[-1], base=base, layout=layout).rotate(x, x, by(x))[0]


def derivative(label: str, x: Tensor) -> Case:
    """Ask for the dtypes, and whether the gradient is the rise of the answer's own result.

    The result must be linear in x, but need not be right: a mistake in one branch of a function
    loses no points here. What is infinite is left out.
    """
    step = _weights(x).abs()

    def ask(answer: Answer) -> Any:
        at = x.double().requires_grad_()
        result = answer(at)
        if type(result) is not Tensor:
            return compare.no_plain_tensor(result)
        total = (_finite(result) * _weights(result)).sum()
        if total.requires_grad:
            total.backward()
        further = (_finite(answer(at.detach() + step)) * _weights(result)).sum()
        return {
            "its dtype": str(result.dtype),
            "its dtype for float32": str(getattr(answer(x.clone()), "dtype", "none")),
            "the gradient": _verdict(at.grad, step, float(further - total)),
        }

    return Case(f"{label} in float64", ask)


def _verdict(gradient: Tensor | None, step: Tensor, rise: float) -> str:
    if gradient is None or not gradient.any():
        return "no gradient comes back"
    if gradient.isnan().any():
        return "nan"
    off = abs(float((gradient * step).sum()) - rise)
    return "that of your result" if off < 1e-3 * (1 + abs(rise)) else "not that of your result"


def never_nan(label: str, **arguments: Tensor) -> Case:
    """Ask for the result, and which arguments get a gradient that is nan; none at all will do."""

    def ask(answer: Answer) -> Any:
        given = {name: each.clone().requires_grad_() for name, each in arguments.items()}
        result = answer(*given.values())
        if type(result) is not Tensor:
            return compare.no_plain_tensor(result)
        backward(result)
        grads = {name: each.grad for name, each in given.items() if each.grad is not None}
        return {
            "the result": result,
            "arguments whose gradient is nan": [n for n, g in grads.items() if g.isnan().any()],
        }

    return Case(label, ask)


def _weights(result: Tensor) -> Tensor:
    """Return another number for each of the result's."""
    return torch.arange(1, result.numel() + 1).double().cos().reshape(result.shape)


def _finite(result: Tensor) -> Tensor:
    return torch.where(result.isinf(), 0, result)
