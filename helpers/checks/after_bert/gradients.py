"""Unit 05: gradients at a slope of 0, and among scores of which some are very large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case
from helpers.checks.engine.case import unchanged

FITS = "that of your result"
OTHER = "not that of your result"
RESULT = "the result"
SLOPE = "the gradient of the right result"


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
        return "nan"
    further = slopes.clone()
    further[place] += 0.1
    rises = function(further) - function(slopes)
    rise = float((rises * _weights(rises)).sum()) / 0.1
    if abs(rise - gradient) < 1e-3 * (1 + abs(rise)):
        return FITS
    return "0, but the result changes with it" if gradient == 0 else OTHER


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
    """The result, and where the gradients are not those of `right`; none at all is no matter.

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
        unchanged(tuple(given.values()), tuple(arguments.values()))
        if type(result) is not Tensor:
            return result
        _send_back(result)
        return {RESULT: result} | {name: each.grad for name, each in given.items()}

    def read(said: Any) -> Any:
        return {RESULT: said[RESULT]} | {
            f"the gradient of {name}": _told(name, each, said[name], near, least)
            for name, each in true.items()
        }

    return Case(label, ask, read)


def _told(name: str, given: Tensor, found: Tensor | None, near: float, least: float) -> str:
    """Whether it is right; if not, the first few of the numbers whose gradient is another one."""
    if found is None:
        return SLOPE
    assert given.grad is not None
    size = given.grad.abs()
    off = ~((found - given.grad).abs() <= near * size + least * size.max())  # also where nan
    if not off.any():
        return SLOPE
    places = ", ".join(f"{given[tuple(at)].item():.1f}" for at in off.nonzero()[:3])
    kind = "nan" if found[off].isnan().any() else "wrong"
    return f"{kind}, for example where {name} is {places}"


def _leaves(arguments: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: each.clone().requires_grad_() for name, each in arguments.items()}


def _send_back(result: Tensor) -> None:
    """Another gradient for each number of the result."""
    if result.requires_grad:
        (result * _weights(result)).sum().backward()


def _weights(result: Tensor) -> Tensor:
    weights = torch.arange(1, result.numel() + 1, dtype=torch.float64).cos()
    return weights.reshape(result.shape).to(result.dtype)
