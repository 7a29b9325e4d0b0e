"""The saboteurs: each breaks one thing about a right answer, whatever the answer computes."""

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Generator, Tensor, nn

from tests.probes import modules
from tests.probes.wrappers import (
    Answer,
    Breaks,
    Call,
    Sabotaged,
    alike,
    any_floating,
    between,
    floating,
    mapped,
    public,
    same,
)

Change = Callable[[Any], Any]


def of(right: Answer) -> Iterator[tuple[str, Sabotaged]]:
    """Every saboteur that can be tried on a right answer, with its name."""
    for name, breaks in _breaks(right):
        yield name, between(right, breaks)
    if isinstance(right, type) and issubclass(right, nn.Module):
        yield from modules.of(right)


def _breaks(right: Answer) -> Iterator[tuple[str, Breaks]]:
    for name, change in RESULTS.items():
        yield name, partial(_result, change)
    for name, change in DIFFERENTIABLE.items():
        yield name, partial(_differentiable, change)
    yield from CALLS.items()
    for name, fresh in KEEPING.items():  # which have kept nothing yet
        yield name, fresh()
    for argument in _arguments(right):
        for name, of_argument in ARGUMENTS.items():
            yield f"{name} {argument}", of_argument(argument)


def _arguments(right: Answer) -> list[str]:
    """The names of the parameters of a function, or of a class's methods."""
    functions = [method for _, method in public(right)] if isinstance(right, type) else [right]
    names = [name for each in functions for name in inspect.signature(each).parameters]
    return [name for name in dict.fromkeys(names) if name != "self"]


# What is changed of a result, tensor by tensor; what comes back as it was is not changed.
RESULTS: dict[str, Change] = {
    "a little off": lambda y: y * 1.003 if floating(y) or type(y) is float else y,
    "a constant": lambda y: _constant(y),
    "the first row for all": lambda y: _repeated(y, -2, 2),
    "the first column for all": lambda y: _repeated(y, -1, 2),
    "the first of the batch for all": lambda y: _repeated(y, 0, 3),
    "the first head for all": lambda y: _repeated(y, 1, 4),
    "whole numbers as floats": lambda y: (
        y.float() if isinstance(y, Tensor) and not y.is_floating_point() else y
    ),
}
# The same, where the result may depend on a tensor of floating-point numbers.
DIFFERENTIABLE: dict[str, Change] = {
    "detached": lambda y: y.detach() if floating(y) else y,
    "forced to float32": lambda y: y.float() if floating(y) else y,
    "forced to float64": lambda y: y.double() if floating(y) else y,
}


def _result(change: Change, call: Call, made: Sabotaged) -> Any:
    right = call()
    wrong = mapped(right, change)
    made.broke |= not alike(right, wrong)
    return wrong


def _differentiable(change: Change, call: Call, made: Sabotaged) -> Any:
    right = call()
    if not call.differentiable:
        return right
    made.broke |= any_floating(right)
    return mapped(right, change)


def _constant(value: Any) -> Any:
    if isinstance(value, Tensor):
        return torch.zeros_like(value)
    return type(value)() if type(value) in (bool, int, float, str) else value


def _repeated(value: Any, axis: int, axes: int) -> Any:
    if not isinstance(value, Tensor) or value.dim() < axes or not value.numel():
        return value
    return value.narrow(axis, 0, 1).expand_as(value)


def _no_grad(call: Call, made: Sabotaged) -> Any:
    with torch.no_grad():
        right = call()
    made.broke |= call.differentiable and any_floating(right)
    return right


def _through_numpy(call: Call, made: Sabotaged) -> Any:
    right = call(**{k: v.detach() for k, v in call.arguments.items() if floating(v)})
    made.broke |= call.differentiable and any_floating(right)
    return mapped(right, lambda y: torch.from_numpy(y.detach().numpy()) if floating(y) else y)


def _error(change: Callable[[Exception], Exception], call: Call, made: Sabotaged) -> Any:
    try:
        return call()
    except Exception as error:
        made.broke = True
        raise change(error) from None


def _no_error(call: Call, made: Sabotaged) -> Any:
    try:
        return call()
    except Exception:
        made.broke = True
        return next(iter(call.arguments.values()))


def _same_draw(call: Call, made: Sabotaged) -> Any:
    given = [each for each in call.arguments.values() if isinstance(each, Generator)]
    for generator in (*given, torch.default_generator):
        before = generator.get_state()
        generator.manual_seed(0)
        made.broke |= generator in given and not torch.equal(before, generator.get_state())
    return call()


CALLS: dict[str, Breaks] = {
    "under no_grad": _no_grad,
    "through NumPy": _through_numpy,
    "an error without text": partial(_error, lambda error: type(error)()),
    "an error of another kind": partial(_error, lambda error: ArithmeticError(str(error))),
    "no error": _no_error,
    "draws the same each time": _same_draw,
}


# What keeps something from one call to the next.


def _first_answer() -> Breaks:
    kept: list[Any] = []

    def breaks(call: Call, made: Sabotaged) -> Any:
        right = call()
        kept.append(kept[0] if kept else right)
        made.broke |= not alike(kept[-1], right)
        return kept[-1]

    return breaks


def _by_shape() -> Breaks:
    kept: dict[str, Any] = {}

    def breaks(call: Call, made: Sabotaged) -> Any:
        right = call()
        given = call.arguments.values()
        key = str([id(call.module), *(getattr(each, "shape", each) for each in given)])
        # A call with the same shapes and other numbers is for the check to make.
        made.broke |= any(isinstance(each, Tensor) for each in given)
        return kept.setdefault(key, right)

    return breaks


def _by_object() -> Breaks:
    kept: dict[str, Any] = {}

    def breaks(call: Call, made: Sabotaged) -> Any:
        given = list(call.arguments.values())
        if call.module is not None or not any(isinstance(each, Tensor) for each in given):
            return call()
        made.broke = True  # other numbers in the same object are for the check to give
        key = str([id(each) if isinstance(each, Tensor) else each for each in given])
        # The arguments are kept as well: what comes later may not stand at their address.
        return kept.setdefault(key, (call(), given))[0]

    return breaks


def _one_tensor() -> Breaks:
    kept: dict[str, Tensor] = {}

    def breaks(call: Call, made: Sabotaged) -> Any:
        return mapped(call(), lambda y: filled(call, made, y) if isinstance(y, Tensor) else y)

    def filled(call: Call, made: Sabotaged, right: Tensor) -> Tensor:
        made.broke = True  # a second call, of the same shapes, is for the check to make
        key = str([id(call.module), right.shape, right.dtype])
        if key not in kept:
            kept[key] = torch.empty_like(right, memory_format=torch.contiguous_format)
        kept[key] = kept[key].detach()  # the same numbers, and what gradients take from here on
        return kept[key].copy_(right)

    return breaks


KEEPING: dict[str, Callable[[], Breaks]] = {
    "the first answer for ever": _first_answer,
    "remembers by shape": _by_shape,
    "remembers by object": _by_object,
    "one tensor for all results": _one_tensor,
}


def _writes_into(name: str, call: Call, made: Sabotaged) -> Any:
    right = mapped(call(), lambda y: y.clone() if isinstance(y, Tensor) else y)
    value = call.arguments.get(name)
    with torch.no_grad():
        match value:
            case Tensor() if value.numel() and not (value.is_leaf and value.requires_grad):
                value.copy_(value == 0)
                made.broke = True
            case list() if value:
                value.append(value[0])
                made.broke = True
            case dict() if value:
                value.clear()
                made.broke = True
    return right


def _ignores(name: str) -> Breaks:
    first: dict[str, Any] = {}

    def breaks(call: Call, made: Sabotaged) -> Any:
        if name not in call.arguments:
            return call()
        value = call.arguments[name]
        default = call.bound.signature.parameters[name].default
        if isinstance(value, Tensor):
            instead = torch.zeros_like(value) if default is inspect.Parameter.empty else default
        elif default is not inspect.Parameter.empty:
            instead = default
        elif isinstance(value, Generator):
            instead = Generator()
        else:
            instead = first.setdefault(name, value)
        made.broke |= not same(instead, value)
        return call(**{name: instead})

    return breaks


def _changed_argument(
    change: Callable[[Tensor], Tensor], name: str, call: Call, made: Sabotaged
) -> Any:
    value = call.arguments.get(name)
    if not isinstance(value, Tensor) or not value.numel():
        return call()
    instead = change(value)
    made.broke |= not same(instead, value)
    return call(**{name: instead})


def _without_last(value: Tensor) -> Tensor:
    """The last token looks like the first: of rows (…, T, D), or of ids (B, T)."""
    axis = -2 if value.is_floating_point() and value.dim() > 1 else -1
    size = value.shape[axis] if value.dim() else 0
    if size < 2:
        return value
    kept = torch.tensor([*range(size - 1), 0])
    return value.index_select(axis % value.dim(), kept)


def _first_sequence(value: Tensor) -> Tensor:
    return value[:1].expand_as(value) if value.dim() > 1 else value


ARGUMENTS: dict[str, Callable[[str], Breaks]] = {
    "writes into": lambda name: partial(_writes_into, name),
    "ignores": _ignores,
    "ignores the last token of": lambda name: partial(_changed_argument, _without_last, name),
    "takes the first sequence for all of": lambda name: partial(
        _changed_argument, _first_sequence, name
    ),
}
