"""Unit 08, “An encoding of your own”: its hooks, each asked by itself."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.modules.dropout import _DropoutNd

from helpers.checks.positions import at
from helpers.encodings import HOOKS, Encoding, Positions

SHAPES = tuple(f"the shape of what `{name}` returns" for name in HOOKS)


def close(one: Tensor, other: Tensor, most: float = 1e-3) -> bool:
    """Whether the difference is rounding only: a thousandth of the size, at most."""
    # `bias` may be whole numbers or booleans, which have no norm.
    one, other = (each if each.is_floating_point() else each.double() for each in (one, other))
    difference = torch.where(one == other, 0.0, one - other)  # both may be infinite
    return bool(difference.norm() <= most * other[other.isfinite()].norm())


def given(sizes: dict[str, int], tokens: Tensor) -> dict[str, Tensor]:
    (batch, length), heads = tokens.shape, sizes["num_heads"]
    q, k = torch.randn(2, batch, heads, length, sizes["d_model"] // heads)
    weights = torch.randn(batch, heads, length, length).softmax(-1)
    return {"x": torch.randn(batch, length, sizes["d_model"]), "q": q, "k": k, "weights": weights}


def asked(encoding: Encoding, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """What each hook answers, 0 for one that adds nothing."""
    embedded, turned, bias, context = _hooks(encoding, given)
    none = torch.zeros(())
    return {
        "embed": embedded,
        "rotate": torch.stack(turned, 1),
        "bias": torch.broadcast_to(none if bias is None else bias, given["weights"].shape),
        "context": torch.broadcast_to(none if context is None else context, given["q"].shape),
    }


def _hooks(encoding: Encoding, given: dict[str, Tensor]) -> tuple[Any, Any, Any, Any]:
    """What the four hooks return."""
    x, q, k, weights = given.values()
    told = at(x)
    return (
        encoding.embed(x, told),
        encoding.rotate(q, k, told),
        encoding.bias(q, k, told),
        encoding.context(weights, told),
    )


def dependent(encoding: Encoding, given: dict[str, Tensor]) -> tuple[list[str], list[str]]:
    """Hooks that answer otherwise to one text than among others, and when asked once more.

    Not those that draw, as dropout does; each module for dropout is left in eval mode.
    """
    for module in encoding.modules():
        if isinstance(module, _DropoutNd):
            module.eval()
    last = {name: each[-1:] for name, each in given.items()}
    among = drawn(encoding, given, 1)
    alone, again, otherwise = (drawn(encoding, last, seed) for seed in (1, 1, 2))
    changing = [name for name in HOOKS if not close(again[name], alone[name])]
    return [
        name
        for name in HOOKS
        if close(otherwise[name], alone[name]) and not close(among[name][-1:], alone[name])
    ], changing


def drawn(encoding: Encoding, given: dict[str, Tensor], seed: int) -> dict[str, Tensor]:
    """What the hooks answer with the random numbers of a seed."""
    before = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    torch.default_generator.manual_seed(seed)
    try:
        return asked(encoding, copied(given))
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])


def copied(given: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: each.clone() for name, each in given.items()}


def shapes(encoding: Encoding, given: dict[str, Tensor]) -> dict[str, Any]:
    """The shape that each hook returns; where it may be spread, that which it is spread to."""
    embedded, turned, bias, context = _hooks(encoding, given)
    pair = list(map(_shape, turned)) if isinstance(turned, list | tuple) else _shape(turned)
    found = (
        _shape(embedded),
        pair,
        _spread(bias, given["weights"]),
        _spread(context, given["q"]),
    )
    return dict(zip(SHAPES, found, strict=True))


def right_shapes(given: dict[str, Tensor]) -> dict[str, Any]:
    x, q, _, weights = (tuple(each.shape) for each in given.values())
    return dict(zip(SHAPES, (x, [q, q], weights, q), strict=True))


def _shape(found: Any) -> Any:
    if isinstance(found, Tensor):
        return tuple(found.shape)
    return "nothing" if found is None else type(found).__name__


def _spread(found: Any, like: Tensor) -> Any:
    """The shape of `like` where what was found can be added to it, or is None."""
    fits = found is None
    if isinstance(found, Tensor) and found.dim() <= like.dim():
        pairs = zip(found.shape[::-1], like.shape[::-1], strict=False)
        fits = all(one in (1, other) for one, other in pairs)
    return tuple(like.shape) if fits else _shape(found)


def changing(encoding: Encoding, given: dict[str, Tensor]) -> list[str]:
    """The hooks that do not give the same answer once more."""
    return unlike(encoding, encoding, given)


def unlike(one: Encoding, other: Encoding, given: dict[str, Tensor]) -> list[str]:
    """The hooks that do not give the same answer in another encoding."""
    first, second = asked(one, copied(given)), asked(other, copied(given))
    return [name for name in HOOKS if not close(first[name], second[name], 1e-5)]


def overwritten(encoding: Encoding, given: dict[str, Tensor]) -> list[str]:
    """The hooks whose answer is changed by the next, as one layer's by that of another."""
    first = _raw(encoding, copied(given))
    before = {name: [each.clone() for each in answers] for name, answers in first.items()}
    _raw(encoding, {name: 1 - each.flip(0) for name, each in given.items()})
    return [
        name for name, answers in first.items() if not all(map(torch.equal, answers, before[name]))
    ]


def _raw(encoding: Encoding, given: dict[str, Tensor]) -> dict[str, list[Tensor]]:
    """The tensors that each hook returns, as they are."""
    embedded, turned, bias, context = _hooks(encoding, given)
    returned: tuple[list[Any], ...] = [embedded], list(turned), [bias], [context]
    answers = dict(zip(HOOKS, returned, strict=True))
    return {name: [each for each in found if each is not None] for name, found in answers.items()}


def cut(encoding: Encoding, given: dict[str, Tensor], dtype: torch.dtype) -> list[str]:
    """Which of x, q and k `embed` and `rotate` make use of and give no gradient to, or to a part.

    A number that is used gives another result when it moves, be it ever so little.
    """
    cut = []
    little = 1e-6 if dtype == torch.float64 else 1e-3
    for names, hook in ((("x",), "embed"), (("q", "k"), "rotate")):
        for name in names:
            now = {each: given[each].to(dtype) for each in names}
            function = partial(_told, getattr(encoding, hook))
            leaf = now[name].clone().requires_grad_()
            result = _joined(function(*({**now, name: leaf * 1}.values())))
            if result.requires_grad:
                (result * torch.randn_like(result)).sum().backward()
            missing = torch.ones_like(leaf) if leaf.grad is None else leaf.grad == 0
            if not missing.any():
                continue
            step = missing * (0.5 if missing.all() else little)
            with torch.no_grad():
                moved = {**now, name: now[name] + step}
                before, after = (
                    _joined(function(*(each.clone() for each in values.values())))
                    for values in (now, moved)
                )
            if not torch.equal(before, after):
                cut.append(f"the {name} of `{hook}`")
    return cut


def _told(hook: Any, *values: Tensor) -> Any:
    """A hook asked of x, or of q and k, of a text in order."""
    length = values[0].shape[-2]
    return hook(*values, Positions.upto(length))


def _joined(found: Any) -> Tensor:
    return found if isinstance(found, Tensor) else torch.stack(list(found))
