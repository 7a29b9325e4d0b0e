"""A question to an answer, and the ways of asking that several exercises share."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import compare
from helpers.checks.engine.serialize import ARGUMENT, CheckError, sanitize

Answer = Callable[..., Any]
REACHED = "arguments that a gradient reaches"
SEVEN = "about seven correct digits, as if rounded to float32 on the way"
SIXTEEN = "about sixteen correct digits"
MANY = 20  # numbers in the text of an error


@dataclass(frozen=True)
class Case:
    """One question to an answer: `ask(answer)` gives a tensor, a plain value or a dict of both.

    Where the answers are asked by another process, it has nothing of a question but `ask`: what
    knows the right answer belongs into `read`.

    Args:
        label: one that begins with "(" is shown behind the name of the learner's function.
        read: turns what was said, as plain values, into what is compared.
    """

    label: str
    ask: Callable[[Answer], Any]
    read: Callable[[Any], Any] = lambda said: said

    def map(self, function: Callable[[Any], Any]) -> Case:
        """Return the case with `function(result)` in the place of each result."""
        return replace(self, ask=lambda answer: function(self.ask(answer)))

    def labelled(self, label: str) -> Case:
        """Return the same case under another label."""
        return replace(self, label=label)


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
    label: str = "",
    of: Callable[[Answer], Answer] = lambda answer: answer,
    in_bfloat16: bool = True,
    **arguments: Any,
) -> Case:
    """The result in float64, what reaches each argument on the way back, and the dtypes.

    An answer that works under no_grad, through NumPy, on .data or in one fixed dtype gives
    another result, another dtype, or no gradient. In bfloat16 only the dtype is asked.

    Args:
        label: shown behind the names of the arguments.
        of: makes what is called from the answer, such as a method of a module.
        in_bfloat16: False where the text speaks of float32 and float64 alone.
        arguments: in the order of the signature; those of floating-point numbers are asked in
            float64, float32 and bfloat16.
    """

    def ask(answer: Answer) -> Any:
        function = of(answer)
        single = _leaves(arguments, torch.float32)
        result = _on_leaves(function, single)
        given = _leaves(arguments, torch.float64)
        double = _on_leaves(function, given)
        if type(double) is not Tensor or type(result) is not Tensor:
            return compare.no_plain_tensor(double)
        backward(result)
        backward(double)
        return {
            "the result in float64": double,
            "its dtype where the arguments are float64": _dtype(double),
            "its dtype where they are float32": _dtype(result),
            **(_in_bfloat16(function, arguments) if in_bfloat16 else {}),
            REACHED: _reached(given),
            f"{REACHED}, in float32": _reached(single),
            **{
                f"the gradient of {name}": torch.zeros_like(leaf)
                if leaf.grad is None
                else leaf.grad
                for name, leaf in given.items()
                if _floating(leaf)
            },
        }

    return Case(f"({', '.join(arguments)}){label}", ask)


def _leaves(arguments: dict[str, Any], dtype: torch.dtype) -> dict[str, Any]:
    return {
        name: value.detach().to(dtype, copy=True).requires_grad_()
        if _floating(value)
        else copy.deepcopy(value)
        for name, value in arguments.items()
    }


def _on_leaves(function: Answer, given: dict[str, Any]) -> Any:
    before = tuple(sanitize(value) for value in given.values())
    try:
        result = function(*given.values())
    except RuntimeError as error:
        # PyTorch refuses to write where a gradient is to come back: into an argument, or elsewhere?
        if re.search("in-?place", str(error)):
            again = tuple(each.detach() if _floating(each) else each for each in given.values())
            with torch.no_grad(), contextlib.suppress(Exception):
                function(*again)
            unchanged(again, before)
        raise
    unchanged(tuple(given.values()), before)
    return result


def backward(result: Tensor) -> None:
    """Send a gradient back that is another one for each number, where one is wanted."""
    if result.requires_grad:
        weights = torch.arange(1, result.numel() + 1, dtype=result.dtype).cos()
        (result * weights.reshape(result.shape)).sum().backward()


def _in_bfloat16(function: Answer, arguments: dict[str, Any]) -> dict[str, str]:
    try:
        with torch.no_grad():
            dtype = _dtype(function(*_leaves(arguments, torch.bfloat16).values()))
    except Exception:  # PyTorch has no complex numbers and no solver for it, but a right answer may
        dtype = "bfloat16"
    return {"its dtype where they are bfloat16": dtype}


def _reached(given: dict[str, Any]) -> list[str]:
    return [n for n, v in given.items() if _floating(v) and v.grad is not None and v.grad.any()]


def _dtype(result: Tensor) -> str:
    return str(result.dtype).removeprefix("torch.")


def digits(label: str, *given: Tensor, of: Callable[[Answer], Answer] = lambda a: a) -> Case:
    """Whether a change of 1e−9 shows in the result in float64, as much as one of 1e−4 does.

    What is rounded to float32 on the way shows nothing of it. Whether the result is right is
    asked elsewhere.
    """
    numbers = [each.double() for each in given]

    def ask(answer: Answer) -> Any:
        function = of(answer)
        moved = ([x + step * x.flip(0, -1) for x in numbers] for step in (0, 1e-9, 1e-4))
        found = [function(*each) for each in moved]
        if any(type(each) is not Tensor for each in found):
            return compare.no_plain_tensor(found[0])
        before, little, more = found
        rise = (more - before) * 1e4
        off = ((little - before) * 1e9 - rise).abs() > 0.02 + 0.02 * rise.abs()
        return {"the result has": SEVEN if off.any() else SIXTEEN}

    return Case(f"{label} in float64", ask)


def refusal(action: Callable[[], Any], **numbers: int) -> dict[str, Any]:
    """How `action` refuses: the kind of its error, and which numbers its text names.

    A subclass of Python's own error is that error.
    """
    kind, text = "no error", ""
    try:
        action()
    except NotImplementedError:
        raise
    except Exception as error:
        own = (each for each in type(error).__mro__ if each.__module__ == "builtins")
        kind, text = next(own).__name__, str(error).strip()
    named = re.findall(r"\d+", text)
    if len(named) > MANY:  # it names whatever might be asked for
        named = []
    return {
        "the error": kind,
        "the error has a message": bool(text),
        **{f"its message names {name}": str(number) in named for name, number in numbers.items()},
    }


def unchanged(given: tuple[Any, ...], arguments: tuple[Any, ...]) -> None:
    """Compare what an answer was given with what it was given a copy of.

    Raises:
        CheckError: the answer wrote into it.
    """
    for number, (now, before) in enumerate(zip(given, arguments, strict=True), 1):
        if not compare.same(sanitize(now), sanitize(before), 0):
            text = f"your function changes its argument number {number}: work on a copy"
            raise CheckError(text, ARGUMENT)


def _floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _word(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"tensor of shape {tuple(value.shape)}"
    return f"{value:g}" if isinstance(value, float) else repr(value)
