"""A question to an answer, and the ways of asking that several exercises share."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import compare
from helpers.checks.engine.plain import plain

Answer = Callable[..., Any]
REACHED = "arguments that a gradient reaches"


class ArgumentChangedError(Exception):
    """An answer wrote into the argument that the text of this names."""


@dataclass(frozen=True)
class Case:
    """One question to an answer: `ask(answer)` gives a tensor, a plain value or a dict of both.

    A label that begins with "(" is shown behind the name of the learner's function.
    """

    label: str
    ask: Callable[[Answer], Any]


def call(*arguments: Any, **options: Any) -> Case:
    """The question "what do you return for these arguments?"."""
    words = [_word(value) for value in arguments]
    words += [f"{name}={_word(value)}" for name, value in options.items()]

    def ask(answer: Answer) -> Any:
        given, named = copy.deepcopy(arguments), copy.deepcopy(options)
        result = answer(*given, **named)
        unchanged((*given, *named.values()), (*arguments, *options.values()))
        return result

    return Case(f"({', '.join(words)})", ask)


def differentiated(
    label: str = "", of: Callable[[Answer], Answer] = lambda answer: answer, **arguments: Any
) -> Case:
    """The result in float64, what reaches each argument on the way back, and the dtypes.

    An answer that works under no_grad, through NumPy, on .data or in one fixed dtype gives
    another result, another dtype, or no gradient.

    Args:
        label: shown behind the shapes of the arguments.
        of: makes what is called from the answer, such as a method of a module.
        arguments: in the order of the signature; those of floating-point numbers become float64.
    """

    def ask(answer: Answer) -> Any:
        function = of(answer)
        given = {name: _leaf(value) for name, value in arguments.items()}
        result = _on_leaves(function, given)
        if type(result) is not Tensor:
            return result
        leaves = {name: leaf for name, leaf in given.items() if _floating(leaf)}
        if result.requires_grad:
            weights = torch.arange(1, result.numel() + 1, dtype=result.dtype).cos()
            (result * weights.reshape(result.shape)).sum().backward()
        gradients = {name: leaf.grad for name, leaf in leaves.items()}
        return {
            "the result": result,
            "its dtype": str(result.dtype),
            "its dtype where the arguments are float32": _dtype(function, arguments),
            REACHED: [name for name, grad in gradients.items() if grad is not None and grad.any()],
            **{
                f"the gradient of {name}": torch.zeros_like(leaves[name]) if grad is None else grad
                for name, grad in gradients.items()
            },
        }

    return Case(f"({', '.join(arguments)}) in float64{label}", ask)


def _on_leaves(function: Answer, given: dict[str, Any]) -> Any:
    """The result; PyTorch itself refuses a write into a tensor that a gradient is to reach."""
    before = copy.deepcopy([plain(value) for value in given.values()])
    try:
        result = function(*given.values())
    except RuntimeError as error:
        if "in-place" in str(error) or "inplace" in str(error):
            raise ArgumentChangedError from error
        raise
    unchanged(tuple(given.values()), tuple(before))
    return result


def _dtype(function: Answer, arguments: dict[str, Any]) -> str:
    given = (v.float() if _floating(v) else copy.deepcopy(v) for v in arguments.values())
    return str(getattr(function(*given), "dtype", "none"))


def refusal(action: Callable[[], Any], **numbers: int) -> dict[str, Any]:
    """How `action` refuses: the kind of its error, and which numbers its text names.

    A subclass of Python's own error is that error.
    """
    kind, text = "none", ""
    try:
        action()
    except NotImplementedError:
        raise
    except Exception as error:
        own = (each for each in type(error).__mro__ if each.__module__ == "builtins")
        kind, text = next(own).__name__, str(error).strip()
    named = re.findall(r"\d+", text)
    return {
        "the error": kind,
        "the error has a text": bool(text),
        **{f"its text names {name}": str(number) in named for name, number in numbers.items()},
    }


def unchanged(given: tuple[Any, ...], arguments: tuple[Any, ...]) -> None:
    """Compare what an answer was given with what it was given a copy of.

    Raises:
        ArgumentChangedError: the answer wrote into it.
    """
    for number, (now, before) in enumerate(zip(given, arguments, strict=True), 1):
        if not compare.same(plain(now), plain(before), 0):
            raise ArgumentChangedError(f"number {number}")


def _leaf(value: Any) -> Any:
    if _floating(value):
        return value.detach().double().clone().requires_grad_()
    return copy.deepcopy(value)


def _floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _word(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"tensor of shape {tuple(value.shape)}"
    return f"{value:g}" if isinstance(value, float) else repr(value)
