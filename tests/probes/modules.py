"""Saboteurs of a module: what it keeps, and what of that is trained."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.stateless import _reparametrize_module

from tests.probes.wrappers import Call, Sabotaged, between, rebuilt


def of(right: type[nn.Module]) -> Iterator[tuple[str, Sabotaged]]:
    """Every saboteur of a right module, with its name."""
    for name, rebuild in MODULES.items():
        yield name, rebuilt(right, rebuild)
    yield "a parameter gets no gradient", between(right, _parameters_detached)


def _parameters_detached(call: Call, made: Sabotaged) -> Any:
    if call.module is None or not list(call.module.parameters()):
        return call()
    made.broke = True
    detached = {name: p.detach() for name, p in call.module.named_parameters()}
    with _reparametrize_module(call.module, detached):
        return call()


def _parameters_as_buffers(module: nn.Module) -> bool:
    kept = {name: p for name, p in module._parameters.items() if p is not None}
    for name, parameter in kept.items():
        del module._parameters[name]
        module.register_buffer(name, parameter.detach())
    return bool(kept)


def _buffers_as(module: nn.Module, keep: Callable[[str, Tensor], None]) -> bool:
    kept = {name: b for name, b in module._buffers.items() if b is not None}
    for name, buffer in kept.items():
        del module._buffers[name]
        keep(name, buffer)
    return bool(kept)


def _buffers_as_parameters(module: nn.Module) -> bool:
    def keep(name: str, buffer: Tensor) -> None:
        setattr(module, name, nn.Parameter(buffer) if buffer.is_floating_point() else buffer)

    return _buffers_as(module, keep)


def _one_parameter_more(module: nn.Module) -> bool:
    module.register_parameter("one_more", nn.Parameter(torch.zeros(3)))
    return True


def _all_start_alike(module: nn.Module) -> bool:
    parameters = list(module.parameters())
    for parameter in parameters:
        parameter.data.fill_(parameter.std().item() if parameter.numel() > 1 else 0.0)
    return bool(parameters)


MODULES: dict[str, Callable[[nn.Module], bool]] = {
    "parameters as buffers": _parameters_as_buffers,
    "buffers as plain attributes": lambda module: _buffers_as(module, partial(setattr, module)),
    "buffers as parameters": _buffers_as_parameters,
    "one parameter more": _one_parameter_more,
    "all numbers start alike": _all_start_alike,
}
