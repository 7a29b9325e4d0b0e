"""Unit 10: what several of its exercises ask with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Case


def theta(d_head: int, base: float) -> Tensor:
    """Return θ_n of RoPE, (d/2,), float64."""
    return base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)


def number(found: Any) -> dict[str, Any]:
    """Tell a float and its type; a number of NumPy's is one."""
    if not isinstance(found, float):
        return {"its type": type(found).__name__}
    return {"its type": "float", "the number": torch.tensor(float(found), dtype=torch.float64)}


def of_two(asked: Case, place: int, tell: Callable[[Any], dict[str, Any]]) -> Case:
    """Ask for one of two results, however they are held together."""

    def told(found: Any) -> dict[str, Any]:
        if not isinstance(found, tuple | list) or len(found) != 2:
            kind = len(found) if isinstance(found, tuple | list) else f"a {type(found).__name__}"
            return {"its results": f"{kind}"}
        return {"its results": "2"} | tell(found[place])

    return asked.map(told)
