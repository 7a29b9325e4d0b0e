"""What keeps something from one call to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from tests.saboteurs.wrappers import (
    Breaks,
    Call,
    Sabotaged,
    alike,
    mapped,
)


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


CALLS: dict[str, Callable[[], Breaks]] = {
    "the first answer for ever": _first_answer,
    "remembers by shape": _by_shape,
    "remembers by object": _by_object,
    "one tensor for all results": _one_tensor,
}
