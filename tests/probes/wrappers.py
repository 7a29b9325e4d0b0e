"""Puts something between a right answer and whoever calls it."""

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

Answer = Callable[..., Any]


@dataclass
class Sabotaged:
    """A right answer of which one thing is broken; `broke` tells if that ever made a difference."""

    answer: Answer
    broke: bool = False


@dataclass(frozen=True)
class Call:
    """A call of the right answer, which is made where this is called."""

    right: Answer
    bound: inspect.BoundArguments
    module: nn.Module | None  # whose method is called, if it is one

    @property
    def arguments(self) -> dict[str, Any]:
        """What is given, by the names of the answer's parameters."""
        return self.bound.arguments

    def __call__(self, **changed: Any) -> Any:
        """The right result, with some arguments changed."""
        bound = inspect.BoundArguments(self.bound.signature, self.arguments | changed)
        return self.right(*bound.args, **bound.kwargs)

    @property
    def differentiable(self) -> bool:
        """Whether the result can depend on a tensor of floating-point numbers."""
        parameters = list(self.module.parameters()) if self.module is not None else []
        return any(map(floating, [*self.arguments.values(), *parameters]))


Breaks = Callable[[Call, Sabotaged], Any]


def between(right: Answer, breaks: Breaks) -> Sabotaged:
    """The right function, or class with all its public methods, called by `breaks` alone."""
    made = Sabotaged(right)
    if isinstance(right, type):
        methods = {name: _method(each, breaks, made) for name, each in public(right)}
        made.answer = type(right.__name__, (right,), methods)
    else:
        made.answer = _function(right, breaks, made)
    return made


def rebuilt(right: type, change: Callable[[Any], bool]) -> Sabotaged:
    """The right class; `change` is made to each new object and tells if it did anything."""

    def initialise(self: Any, *arguments: Any, **options: Any) -> None:
        right.__init__(self, *arguments, **options)  # type: ignore[misc]
        made.broke |= change(self)

    signature = inspect.signature(right.__init__)  # type: ignore[misc]
    initialise.__signature__ = signature  # type: ignore[attr-defined]
    made = Sabotaged(type(right.__name__, (right,), {"__init__": initialise}))
    return made


def public(right: type) -> Iterator[tuple[str, Answer]]:
    """The methods that a class itself defines for others."""
    for name, method in vars(right).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            yield name, method


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """`value` with each tensor or plain entry in it changed."""
    if type(value) in (list, tuple):
        return type(value)(mapped(each, change) for each in value)
    if type(value) is dict:
        return {key: mapped(each, change) for key, each in value.items()}
    return change(value)


def floating(value: Any) -> bool:
    """Whether it is a tensor of real floating-point numbers."""
    return isinstance(value, Tensor) and value.is_floating_point()


def same(one: Any, other: Any) -> bool:
    """Whether two arguments or results are the same."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        alike = one.shape == other.shape and one.dtype == other.dtype
        return alike and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)
    return one is other or (type(one) is type(other) and not callable(one) and bool(one == other))


def any_floating(value: Any) -> bool:
    """Whether there is a tensor of floating-point numbers in it."""
    seen: list[bool] = []
    mapped(value, lambda y: seen.append(floating(y)))
    return any(seen)


def alike(one: Any, other: Any) -> bool:
    """Whether two values have the same tensors and plain values in the same order."""
    first: list[Any] = []
    second: list[Any] = []
    mapped(one, first.append)
    mapped(other, second.append)
    return len(first) == len(second) and all(map(same, first, second))


def _function(right: Answer, breaks: Breaks, made: Sabotaged) -> Answer:
    signature = inspect.signature(right)

    @functools.wraps(right)
    def broken(*arguments: Any, **options: Any) -> Any:
        return breaks(Call(right, _bound(signature, arguments, options), None), made)

    return broken


def _method(right: Answer, breaks: Breaks, made: Sabotaged) -> Answer:
    signature = inspect.signature(right)
    signature = signature.replace(parameters=list(signature.parameters.values())[1:])

    @functools.wraps(right)
    def broken(self: Any, *arguments: Any, **options: Any) -> Any:
        of_this = functools.partial(right, self)
        return breaks(Call(of_this, _bound(signature, arguments, options), self), made)

    return broken


def _bound(
    signature: inspect.Signature, arguments: tuple[Any, ...], options: dict[str, Any]
) -> inspect.BoundArguments:
    bound = signature.bind(*arguments, **options)
    bound.apply_defaults()
    return bound
