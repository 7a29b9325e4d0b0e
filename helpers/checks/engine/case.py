"""A question to an answer, and the ways of asking that several exercises share."""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Generator, Tensor

from helpers.checks.engine import compare
from helpers.checks.engine.serialize import ARGUMENT, RESULT_MUTATED, CheckError, sanitize

Answer = Callable[..., Any]
REACHED = "arguments that a gradient reaches"
SEVEN = "about seven correct digits, as if rounded to float32 on the way"
SIXTEEN = "about sixteen correct digits"
MANY = 20  # numbers in the text of an error
STOPS = (Exception, SystemExit, GeneratorExit)  # in which an answer may end


@dataclass(frozen=True)
class Case:
    """One question to an answer: `ask(answer)` gives a tensor, a plain value or a dict of both.

    Where the answers are asked by another process, it has nothing of a question but `ask`: what
    knows the right answer belongs into `read`.

    Args:
        label: one that begins with "(" is shown behind the name of the learner's function.
        read: turns what was returned, as plain values, into what is compared.
    """

    label: str
    ask: Callable[[Answer], Any]
    read: Callable[[Any], Any] = lambda found: found

    def map(self, function: Callable[[Any], Any]) -> Case:
        """Return the case with `function(result)` in the place of each result but None."""

        def ask(answer: Answer) -> Any:
            result = self.ask(answer)
            return None if result is None else function(result)

        return replace(self, ask=ask)

    def with_words(self, words: str) -> Case:
        """Return the same case, these words behind its label."""
        return replace(self, label=self.label + words)

    def of(self, make: Callable[[Answer], Answer]) -> Case:
        """Return the case that asks `make(answer)`, such as a method of a module."""
        return replace(self, ask=lambda answer: self.ask(make(answer)))

    def labelled(self, label: str) -> Case:
        """Return the same case under another label."""
        return replace(self, label=label)


def call(*arguments: Any, **options: Any) -> Case:
    """Ask "what do you return for these arguments?"."""
    words = [_word(value) for value in arguments]
    words += [f"{name}={_word(value)}" for name, value in options.items()]

    def ask(answer: Answer) -> Any:
        given, named = copy.deepcopy(arguments), copy.deepcopy(options)
        result = answer(*given, **named)
        unchanged((*given, *named.values()), (*arguments, *options.values()))
        return result

    return Case(f"({', '.join(words)})", ask)


def differentiated(label: str = "", in_bfloat16: bool = True, **arguments: Any) -> Case:
    """Ask for the result in float64, what reaches each argument on the way back, and dtypes.

    An answer that works under no_grad, through NumPy, on .data or in one fixed dtype gives
    another result, another dtype, or no gradient. In bfloat16 only the dtype is asked.

    Args:
        label: shown behind the names of the arguments.
        in_bfloat16: False where the text speaks of float32 and float64 alone.
        arguments: in the order of the signature; those of floating-point numbers are asked in
            float64, float32 and bfloat16.
    """

    def ask(answer: Answer) -> Any:
        # First without gradients: where one is wanted, PyTorch refuses to write into an argument.
        plain = call(*arguments.values()).ask(answer)
        single, double = (_leaves(arguments, dtype) for dtype in (torch.float32, torch.float64))
        results = [answer(*given.values()) for given in (single, double)]
        if any(type(each) is not Tensor for each in results):
            return compare.no_plain_tensor(results[1])
        for each in results:
            backward(each)
        return {
            "the result in float64": results[1],
            "its dtype where the arguments are float64": _dtype(results[1]),
            "its dtype where they are float32": _dtype(results[0]),
            **(_in_bfloat16(answer, arguments) if in_bfloat16 else {}),
            REACHED: _reached(double),
            f"{REACHED}, in float32": _reached(single),
            "the result without gradients": plain,
            **{
                f"the gradient of {name}": torch.zeros_like(leaf)
                if leaf.grad is None
                else leaf.grad
                for name, leaf in double.items()
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


def digits(label: str, *given: Tensor) -> Case:
    """Ask whether a change of 1e−9 shows in a float64 result as much as one of 1e−4 does.

    What is rounded to float32 on the way shows nothing of it. Whether the result is right is
    asked elsewhere.
    """
    numbers = [each.double() for each in given]

    def ask(answer: Answer) -> Any:
        moved = ([x + step * x.flip(0, -1) for x in numbers] for step in (0, 1e-9, 1e-4))
        found = [answer(*each) for each in moved]
        if any(type(each) is not Tensor for each in found):
            return compare.no_plain_tensor(found[0])
        before, little, more = found
        rise = (more - before) * 1e4
        off = ((little - before) * 1e9 - rise).abs() > 0.02 + 0.02 * rise.abs()
        return {"the result has": SEVEN if off.any() else SIXTEEN}

    return Case(f"{label} in float64", ask)


def refusal(action: Callable[[], Any], **numbers: int) -> dict[str, Any]:
    """Tell how `action` refuses: the kind of its error, and which numbers its text names.

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
        if hasattr(before, "equals"):  # a DataFrame, which compares no name of its index
            same = before.equals(now) and before.index.names == now.index.names
        else:
            same = compare.same(sanitize(now), sanitize(before), 0)
        if not same:
            text = f"your function changes its argument number {number}: work on a copy"
            raise CheckError(text, ARGUMENT)


def without_caching(case: Case) -> Case:
    """Ask the same, its first call made before as well, with other numbers and the same.

    What is remembered by the tensor object gives another result than is right, as it would after
    a step of an optimizer; what returns one tensor again and again ends in `RESULT_MUTATED`.
    A class is asked as it is: what an object keeps is for the exercise to say.
    """
    return replace(case, ask=lambda answer: case.ask(_called_before(answer)))


def _called_before(answer: Answer) -> Answer:
    if isinstance(answer, type):
        return answer
    calls = itertools.count()

    @functools.wraps(answer)
    def called(*arguments: Any, **options: Any) -> Any:
        if next(calls):
            return answer(*arguments, **options)
        given, before = [*arguments, *options.values()], []
        tensors = [each for each in given if type(each) is Tensor and each.numel()]
        numbers = [each.detach().clone() for each in tensors]
        drawn = [(each, each.get_state()) for each in given if isinstance(each, Generator)]
        for change in (_others, torch.clone):  # the same numbers too: some remember by value
            _fill(tensors, [change(each) for each in numbers])
            # The same objects, as some remember by them, but copies of what could be written into.
            stay = {id(each): each for each in given if isinstance(each, Tensor | Generator)}
            with torch.random.fork_rng([]), contextlib.suppress(*STOPS):
                again, named = copy.deepcopy((arguments, options), stay)
                before.append(answer(*again, **named))
            for generator, state in drawn:  # what these calls draw does not count
                generator.set_state(state)
        _fill(tensors, numbers)
        found = answer(*arguments, **options)
        same = isinstance(found, dict) and any(found is each for each in before)
        if same or (_memory(before) & _memory(found)) - _memory(given):
            raise CheckError(RESULT_MUTATED.text, RESULT_MUTATED.kind)
        return found

    return called


def _others(numbers: Tensor) -> Tensor:
    """Return other numbers that may be asked too: a permutation stays one.

    The parents of a tree, one of them −1, stay as they are: whoever climbs a circle never ends.
    """
    if numbers.is_floating_point():
        return numbers.flip(tuple(range(numbers.dim())))
    if numbers.dim() == 0 or (numbers.dim() == 1 and numbers.min() < 0):
        return numbers
    rows_or_all_different = numbers.dim() > 1 or len(numbers.unique()) == len(numbers)
    return numbers.flip(0) if rows_or_all_different else numbers.min().expand_as(numbers)


def _fill(tensors: list[Tensor], numbers: list[Tensor]) -> None:
    for tensor, values in zip(tensors, numbers, strict=True):
        # A view that shows one number at many places cannot be written into.
        with torch.no_grad(), contextlib.suppress(RuntimeError):
            tensor.copy_(values)


def _memory(value: Any) -> set[int]:
    """Return where the numbers of a value's tensors and arrays stand.

    A list may well be the same one each time, looked up in a table that the answer begins with.
    """
    if isinstance(value, list | tuple | dict):
        inner = value.values() if isinstance(value, dict) else value
        return set().union(*map(_memory, inner))
    if type(value) is np.ndarray and value.size:
        return {value.ctypes.data}
    if type(value) in compare.ARRAYS and value.layout is torch.strided and value.numel():
        return {value.untyped_storage().data_ptr()}
    return set()


def _floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _word(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"tensor of shape {tuple(value.shape)}"
    return f"{value:g}" if isinstance(value, float) else repr(value)
