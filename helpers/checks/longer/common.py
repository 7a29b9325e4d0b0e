"""Unit 10: what several of its exercises ask with."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

SINGLE_OR_DOUBLE = (torch.float32, torch.float64)


def real(found: Any) -> Any:
    """A tensor beside its dtype, of which two will do; of anything else it is said what it is."""
    if not isinstance(found, Tensor):
        return found
    right = found.dtype in SINGLE_OR_DOUBLE
    return {"its dtype": "float32 or float64" if right else dtype(found), "the numbers": found}


def dtype(found: Tensor) -> str:
    """Its name alone."""
    return str(found.dtype).removeprefix("torch.")


def two(found: Any) -> bool:
    """Whether it is two results, however they are held together."""
    return isinstance(found, tuple | list) and len(found) == 2


def theta(d_head: int, base: float) -> Tensor:
    """θ_n of RoPE, (d/2,), float64."""
    return base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)


def number(found: Any) -> bool:
    """Whether it is a plain number; NumPy's float64 is a float."""
    return isinstance(found, int | float) and not isinstance(found, bool)
