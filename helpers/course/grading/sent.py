"""Writes what is sent into a learner's kernel: questions, with no more of the course than they use.

Functions and classes of an exercise's package travel as they are, for the kernel has none of it;
the names of everything else.
"""

from __future__ import annotations

import functools
import importlib
import io
import marshal
import sys
from collections.abc import Iterator
from operator import attrgetter
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import cloudpickle
import torch
from torch import Tensor

from helpers.course.sandbox import kernel

# Names in the code of what was written before, by kind: those are what it uses of a module.
_used: dict[str, frozenset[str]] = {}
_OWN = ("__defaults__", "__kwdefaults__", "__dict__", "__qualname__", "__module__")


def written(kind: str, package: str, value: Any) -> tuple[bytes, set[CodeType]]:
    """`value` for `pickle.loads`, and the code that is in it.

    Args:
        kind: of value; the same kind uses much the same.
        package: whose code travels.
    """
    cloudpickle.register_pickle_by_value(importlib.import_module(package))
    while True:
        used = _used.setdefault(kind, frozenset())
        file = io.BytesIO()
        pickler = _Pickler(file, package, used)
        pickler.dump(value)
        names = frozenset(name for code in pickler.codes for name in code.co_names)
        if names <= used:
            return file.getvalue(), pickler.codes
        _used[kind] = used | names


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Leaves out of the package's modules what is not in `used`; collects `codes`."""

    def __init__(self, file: io.BytesIO, package: str, used: frozenset[str]) -> None:
        super().__init__(file)
        self.package, self.used = package, used
        self.outside: dict[int, dict[str, Any]] = {}  # functions of a module share their names
        self.codes: set[CodeType] = set()

    def reducer_override(self, obj: Any) -> Any:
        """How to write `obj`; called for all that is not of Python's own types."""
        if isinstance(obj, CodeType):
            self.codes.update(_inner(obj))
            return marshal.loads, (marshal.dumps(obj),)
        if isinstance(obj, ModuleType) and obj.__name__.startswith(self.package):
            used = {name: value for name, value in vars(obj).items() if name in self.used}
            return ModuleType, (obj.__name__,), used
        if hasattr(obj, "cache_info") and obj.__module__.startswith(self.package):
            return functools.cache, (obj.__wrapped__,)
        if isinstance(obj, BuiltinFunctionType) and obj.__module__ == "torch._ops.aten":
            return kernel.operator, _operator(obj)
        if type(obj) is Tensor and obj.is_leaf and obj.layout == torch.strided and not vars(obj):
            shape = obj.size(), obj.stride(), obj.storage_offset()
            numbers = torch.empty(0, dtype=torch.uint8).set_(obj.untyped_storage())
            return kernel.tensor, (numbers.numpy().tobytes(), obj.dtype, *shape, obj.requires_grad)
        if isinstance(obj, FunctionType) and not self._has_a_name(obj):
            return self._function(obj)
        return super().reducer_override(obj)

    def _has_a_name(self, function: FunctionType) -> bool:
        """Whether it can be imported there."""
        if str(function.__module__).startswith(self.package):
            return False
        try:
            found = attrgetter(function.__qualname__)(sys.modules[function.__module__])
        except (KeyError, AttributeError):
            return False
        return found is function

    def _function(self, function: FunctionType) -> tuple[Any, ...]:
        """As cloudpickle does, which however looks through all of `sys.modules` for each one."""
        code, outside = function.__code__, function.__globals__
        names = dict.fromkeys(name for each in _inner(code) for name in each.co_names)
        used = {name: outside[name] for name in names if name in outside}
        cells = [each.cell_contents for each in function.__closure__ or ()]
        own = {name: getattr(function, name) for name in _OWN if getattr(function, name)}
        there = self.outside.setdefault(id(outside), {"__name__": outside["__name__"]})
        made = code, there, function.__name__
        return kernel.function, made, (used, cells, own), None, None, kernel.fill


def _inner(code: CodeType) -> Iterator[CodeType]:
    """The code and what is defined in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _inner(each)


def _operator(found: Any) -> tuple[str, str]:
    """PyTorch's name of one of its compiled functions, and which of that name it is."""
    for name in torch.ops.aten:
        packet = getattr(torch.ops.aten, name)
        if packet._op is found:
            return name, ""
        for each in packet.overloads():
            if getattr(packet, each)._op is found:
                return name, each
    raise ValueError(f"no function of PyTorch's is {found}")
