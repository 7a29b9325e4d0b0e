"""Unit 05: gradients at a slope of 0, and among scores of which some are very large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case

FITS = "fits the result"


def of_each_slope(
    words: str, slopes: Tensor, of: Callable[[Answer], Callable[[Tensor], Any]]
) -> Case:
    """Whether the gradient of each slope is the rise of the answer's own result.

    It is asked to one side only, for no slope is below 0; the result is linear in the slopes.
    """

    def ask(answer: Answer) -> Any:
        function = of(answer)
        at = slopes.double().requires_grad_()
        result = function(at)
        if type(result) is not Tensor:
            return result
        _send_back(result)
        return {
            f"the gradient of slopes[{place}] = {at[place].item():g}": _verdict(
                function, at.detach(), place, 0.0 if at.grad is None else at.grad[place].item()
            )
            for place in range(len(slopes))
        }

    return Case(words, ask)


def _verdict(function: Callable[[Tensor], Any], slopes: Tensor, place: int, gradient: float) -> str:
    if gradient != gradient:
        return "is nan"
    further = slopes.clone()
    further[place] += 0.1
    rises = function(further) - function(slopes)
    rise = float((rises * _weights(rises)).sum()) / 0.1
    if abs(rise - gradient) < 1e-3 * (1 + abs(rise)):
        return FITS
    return "is 0, but the result changes with it" if gradient == 0 else "does not fit the result"


def nan_of_slopes(
    words: str, slopes: Tensor, of: Callable[[Answer], Callable[[Tensor], Any]]
) -> Case:
    """The slopes whose gradient is nan; none at all is no matter here."""

    def ask(answer: Answer) -> Any:
        at = slopes.clone().requires_grad_()
        result = of(answer)(at)
        if type(result) is not Tensor:
            return result
        _send_back(result)
        places = [] if at.grad is None else at.grad.isnan().nonzero().flatten().tolist()
        return {"slopes whose gradient is nan": [f"{slopes[place].item():g}" for place in places]}

    return Case(words, ask)


def among_large_ones(
    label: str,
    right: Answer,
    of: Callable[[Answer], Answer] = lambda answer: answer,
    *,
    near: float,
    least: float,
    **arguments: Tensor,
) -> Case:
    """Where the gradients are not those of `right`; none at all is no matter.

    Args:
        near: how far off a gradient may be, as a share of it; float32 is near enough.
        least: how far off it may be beside, as a share of the largest.
        arguments: in the order of the signature.
    """
    true = _leaves(arguments)
    with torch.enable_grad():  # an answer may have switched them off
        _send_back(of(right)(*true.values()))

    def ask(answer: Answer) -> Any:
        given = _leaves(arguments)
        result = of(answer)(*given.values())
        if type(result) is not Tensor:
            return result
        _send_back(result)
        return {
            f"{name}: numbers whose gradient is wrong": _wrong(each, true[name], near, least)
            for name, each in given.items()
        }

    return Case(label, ask)


def _wrong(given: Tensor, true: Tensor, near: float, least: float) -> list[str]:
    """The first few of the numbers whose gradient is another one."""
    if given.grad is None:
        return []
    assert true.grad is not None
    size = true.grad.abs()
    off = ~((given.grad - true.grad).abs() <= near * size + least * size.max())  # also where nan
    return [f"{given[tuple(at)].item():.1f}" for at in off.nonzero()[:3]]


def _leaves(arguments: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: each.clone().requires_grad_() for name, each in arguments.items()}


def _send_back(result: Tensor) -> None:
    """Another gradient for each number of the result."""
    if result.requires_grad:
        (result * _weights(result)).sum().backward()


def _weights(result: Tensor) -> Tensor:
    weights = torch.arange(1, result.numel() + 1, dtype=torch.float64).cos()
    return weights.reshape(result.shape).to(result.dtype)
