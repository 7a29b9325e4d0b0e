"""Unit 10: what several of its exercises ask with."""

from __future__ import annotations

from random import Random
from typing import Any

import torch
from torch import Tensor

SINGLE_OR_DOUBLE = (torch.float32, torch.float64)


def real(found: Any) -> Any:
    """A tensor beside its dtype, of which two will do; of anything else it is said what it is."""
    if not isinstance(found, Tensor):
        return {"its dtype": f"none, as it is a {type(found).__name__}"}
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


def number(found: Any, name: str) -> dict[str, Any]:
    """A float and its type, of which NumPy's float64 is one."""
    right = isinstance(found, float)
    return {
        "its type": "float" if right else type(found).__name__,
        name: torch.tensor(float(found), dtype=torch.float64) if right else found,
    }


def results(found: Any) -> str:
    """How many results there are, of which two are right."""
    if two(found):
        return "two"
    many = isinstance(found, tuple | list)
    return f"{len(found)}" if many else f"a single {type(found).__name__}"


def base_near_one(rng: Random) -> float:
    """Hardly above 1, so that all pairs turn nearly alike."""
    return rng.uniform(1.005, 1.04)


def large_base(rng: Random) -> float:
    """Above those of most models; float32 holds its powers."""
    return float(10 ** rng.uniform(7, 8))
