"""Unit 10: what several of its exercises ask with."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case


def theta(d_head: int, base: float) -> Tensor:
    """Return θ_n of RoPE, (d/2,), float64."""
    return base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)


def real(found: Any) -> dict[str, Any]:
    """Tell a tensor's numbers and its dtype, of which two will do."""
    if not isinstance(found, Tensor):
        return {"its dtype": f"none, as it is a {type(found).__name__}"}
    right = found.dtype in (torch.float32, torch.float64)
    return {"its dtype": "float32 or float64" if right else dtype(found), "the numbers": found}


def dtype(found: Tensor) -> str:
    """Return its name alone."""
    return str(found.dtype).removeprefix("torch.")


def number(found: Any) -> dict[str, Any]:
    """Tell a float and its type; a number of NumPy's is one."""
    right = isinstance(found, float)
    return {
        "its type": "float" if right else type(found).__name__,
        "the number": torch.tensor(float(found), dtype=torch.float64) if right else found,
    }


def of_two(asked: Case, place: int, tell: Any) -> Case:
    """Ask for one of two results, however they are held together."""

    def ask(answer: Answer) -> Any:
        found = asked.ask(answer)
        if not isinstance(found, tuple | list):
            return {"the number of results": f"one, a {type(found).__name__}"}
        told = {"the number of results": f"{len(found)}"}
        return told | tell(found[place]) if len(found) == 2 else told

    return asked.asking(ask)
