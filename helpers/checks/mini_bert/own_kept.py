"""Unit 08, “An encoding of your own”: what an encoding keeps, and where."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import partial
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
from torch import Tensor, nn

from helpers.encodings import Encoding

DEEPEST = 4  # a list of lists of lists
REGISTERED = "every tensor or array it keeps is a Parameter or a buffer"
ELSEWHERE = (
    "every tensor in a list, dictionary, function or the notebook is a Parameter or a buffer"
)


def kept(encoding: nn.Module) -> dict[str, bool]:
    """Whether all tensors that it keeps are registered."""
    known = {id(each) for each in (*encoding.parameters(), *encoding.buffers())}
    known |= {id(each) for each in encoding.modules()}
    values = [value for module in encoding.modules() for value in vars(module).values()]
    above = type(encoding).__mro__
    for each in above[: above.index(Encoding)] if Encoding in above else ():
        values += vars(each).values()
    inside = [each for value in values for each in _within(value)]
    return {
        REGISTERED: not any(_unknown(value, known) for value in values),
        ELSEWHERE: not any(_unknown(value, known) for value in inside),
    }


def _unknown(value: Any, known: set[int]) -> bool:
    if isinstance(value, nn.Module):
        return id(value) not in known and any(True for _ in (*value.parameters(), *value.buffers()))
    return isinstance(value, Tensor | np.ndarray) and id(value) not in known


def _within(value: Any, depth: int = 0) -> Iterator[Any]:
    """What is in a list or its like, or in what a function brings with it, and in those in it."""
    for each in _parts(value) if depth <= DEEPEST else ():
        yield each
        yield from _within(each, depth + 1)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple | set):
        yield from value
    elif isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, SimpleNamespace):
        yield from vars(value).values()
    elif isinstance(value, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, staticmethod | classmethod):
        yield value.__func__
    elif isinstance(value, property):
        yield value.fget
    elif isinstance(value, FunctionType):
        yield from _brought_along(value)


def _brought_along(function: FunctionType) -> Iterator[Any]:
    """Defaults, what it encloses, and the tensors among the variables that it reads."""
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # nothing is in it as yet
            continue
    read = {each.argval for each in dis.get_instructions(function) if each.opname == "LOAD_GLOBAL"}
    found = (function.__globals__.get(name) for name in read)
    yield from (each for each in found if isinstance(each, Tensor | np.ndarray | list | dict))
