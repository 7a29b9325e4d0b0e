"""Where the tokens of a call stand, and how a model tells it to the hooks of an encoding."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from helpers.encodings.base import Encoding, interface

# The argument, counted from 1, that tells a hook where tokens stand, and how to write the hook.
TOLD = {
    "embed": (2, "embed(self, x, positions=None)"),
    "rotate": (3, "rotate(self, q, k, at=None) with positions at.queries and at.keys"),
    "scores": (3, "scores(self, q, k, offsets=None)"),
    "context": (2, "context(self, weights, offsets=None)"),
}


@dataclass(frozen=True)
class Positions:
    """Positions of the queries and of the keys of one call; a model makes them once for all layers.

    They are plain numbers: a key that a cache has kept stands where it stood, padding shifts
    nobody, each document of a packed row begins at 0, and a patch has a row and a column.

    Args:
        queries: (T,), (B, T), or with a number for each axis (B or 1, T, axes).
        keys: the same for S keys; those of the queries where they are not given.

    Raises:
        ValueError: the two have another number of axes, or are of another shape.
    """

    queries: Tensor
    keys: Tensor

    def __init__(self, queries: Tensor, keys: Tensor | None = None) -> None:
        keys = queries if keys is None else keys
        if not 1 <= queries.dim() == keys.dim() <= 3 or queries.shape[2:] != keys.shape[2:]:
            raise ValueError(
                f"queries {tuple(queries.shape)} and keys {tuple(keys.shape)} must both be (T,), "
                "(B, T) or (B or 1, T, axes)"
            )
        object.__setattr__(self, "queries", queries)
        object.__setattr__(self, "keys", keys)

    @property
    def offsets(self) -> Tensor:
        """j − i of every pair, (T, S) or (B, T, S).

        Raises:
            ValueError: there is more than one axis.
        """
        if self.queries.dim() == 3:
            raise ValueError(
                f"positions with {self.queries.shape[2]} axes have no single offset; this encoding "
                "knows one axis only, rotary_2d more"
            )
        return self.keys[..., None, :] - self.queries[..., :, None]


def in_order(q: Tensor, k: Tensor) -> Positions:
    """What holds where nothing is said: keys at 0 … S−1, and the queries are the last of them."""
    keys = torch.arange(k.shape[2], device=k.device)
    before = k.shape[2] - q.shape[2]
    return Positions(keys[before:] if before else keys, keys)


def embed(encoding: Encoding, x: Tensor, positions: Tensor | None = None) -> Tensor:
    """The hook at the input, told `positions` where they are given; it may be just `embed(x)`."""
    hook = interface(encoding, "embed")
    if positions is not None:
        _check_told(encoding, "embed", hook)
    return hook(*(x, positions)[: _taken(hook)])


def ask(
    encoding: Encoding, name: str, *given: Tensor, offsets: Tensor | Positions | None = None
) -> Any:
    """A hook of a layer: "rotate", "scores" or "context"; told all that it has an argument for.

    Args:
        given: what the hook is asked about: q and k, or weights.
        offsets: those of a tree, `Positions`, or None for 0 … T−1.

    Raises:
        ValueError: there are positions to tell, and the hook has no argument for them.
    """
    hook = interface(encoding, name)
    if not isinstance(offsets, Positions):
        return hook(*given) if name == "rotate" else hook(*given, offsets)
    _check_told(encoding, name, hook)
    if name == "rotate":
        return hook(*given, offsets)
    if name not in interface(encoding, "hooks")():
        return None  # and there may be more axes than an offset has
    if _taken(hook) > len(given) + 1:
        return hook(*given, None, offsets)
    return hook(*given, offsets.offsets)


def _check_told(encoding: Encoding, name: str, hook: Callable[..., Any]) -> None:
    needed, how = TOLD[name]
    if _taken(hook) < needed:
        raise ValueError(
            f"{type(encoding).__name__}.{name} is not told where the tokens stand, and here they "
            f"are not at 0 … T−1: write it as {how}"
        )


def _taken(hook: Callable[..., Any]) -> int:
    """How many arguments a hook takes by place."""
    function = getattr(hook, "__func__", hook)
    # The compiler looks once, and warns of a cache that it sees.
    count = _count if torch.compiler.is_compiling() else _counted
    return count(function) - hasattr(hook, "__func__")


def _count(function: Callable[..., Any]) -> int:
    kinds = [each.kind for each in inspect.signature(function).parameters.values()]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return 2 + max(needed for needed, _ in TOLD.values())
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(kind in by_place for kind in kinds)


_counted = cache(_count)
