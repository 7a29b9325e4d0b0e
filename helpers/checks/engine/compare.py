"""Is the learner's result the expected one, and if not, what is the plainest thing to say?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

_ARRAYS = (Tensor, nn.Parameter, np.ndarray)  # exact types: a subclass could answer what it likes


@dataclass(frozen=True)
class Other:
    """A value that no check expects: the name of its type, and what it shows of itself."""

    kind: str
    text: str

    def __repr__(self) -> str:
        return self.text


def as_tensor(value: Any) -> Tensor | None:
    """The value as a float64 tensor on the CPU; None where it is no array of real numbers."""
    if type(value) not in _ARRAYS:
        return None
    try:
        if isinstance(value, np.ndarray):
            # A fresh copy: PyTorch warns of, or refuses, some of NumPy's views.
            return (
                torch.from_numpy(np.array(value, np.float64))
                if value.dtype.kind in "biuf"
                else None
            )
        tensor = value.detach().to_dense().cpu()
        return None if tensor.is_complex() else tensor.to(torch.float64)
    except (TypeError, ValueError, RuntimeError):  # no numbers in it, as in a meta tensor
        return None


def same(found: Any, expected: Any, tolerance: float) -> bool:
    """True where the two agree: tensors in shape and numbers, all else exactly.

    `tolerance` is absolute for numbers up to 1 and relative beyond.
    """
    if isinstance(expected, dict):
        return (
            type(found) is dict
            and found.keys() == expected.keys()
            and all(same(found[key], expected[key], tolerance) for key in expected)
        )
    if isinstance(expected, list | tuple):
        return (
            type(found) is type(expected)
            and len(found) == len(expected)
            and all(same(*pair, tolerance) for pair in zip(found, expected, strict=True))
        )
    if isinstance(expected, Tensor):
        tensor = as_tensor(found)
        return (
            tensor is not None
            and tensor.shape == expected.shape
            and torch.allclose(tensor, expected.to(torch.float64), tolerance, tolerance)
        )
    return type(found) is type(expected) and found == expected


def difference(found: Any, expected: Any, tolerance: float) -> str:
    """One sentence on how `found` differs from `expected`."""
    if found is None:
        return "your function returns nothing. Is a return missing?"
    if isinstance(expected, dict) and type(found) is dict and found.keys() == expected.keys():
        for key in expected:
            if not same(found[key], expected[key], tolerance):
                return f"{key}: {_within(found[key], expected[key], tolerance)}"
    if expected is True and found is False:
        return "this does not hold."
    if not isinstance(expected, Tensor):
        return f"found {found!r}, expected {expected!r}."
    tensor = as_tensor(found)
    if tensor is None:
        advice = " Wrap it in torch.tensor(…)." if type(found) in (list, tuple) else ""
        kind = found.kind if isinstance(found, Other) else type(found).__name__
        return f"expected a tensor of real numbers, found {kind}.{advice}"
    if tensor.shape != expected.shape:
        return f"expected the shape {tuple(expected.shape)}, found {tuple(tensor.shape)}."
    if not tensor.isfinite().all():
        return "some of your numbers are infinite or not a number."
    return _first_difference(tensor, expected.to(torch.float64), tolerance)


def _within(found: Any, expected: Any, tolerance: float) -> str:
    """`difference` for a value of a dictionary, where None is a value like any other."""
    if found is None:
        return f"found None, expected {_short(expected)}."
    return difference(found, expected, tolerance)


def _short(expected: Any) -> str:
    return "numbers" if isinstance(expected, Tensor) else repr(expected)


def _first_difference(tensor: Tensor, expected: Tensor, tolerance: float) -> str:
    wrong = ~torch.isclose(tensor, expected, tolerance, tolerance)
    index = tuple(int(i) for i in wrong.nonzero()[0])
    where = f" at index [{', '.join(map(str, index))}]" if index else ""
    fraction = wrong.double().mean().item()
    return (
        f"{fraction:.0%} of the numbers differ; the first{where}: "
        f"found {tensor[index].item():.6g}, expected {expected[index].item():.6g}."
    )


def guarded(points: float, most: float) -> float:
    """The one score guard: a finite real number between 0 and `most`, rounded to 1e-6.

    nbgrader gives full marks for nan and for negative numbers, and fails the whole notebook for
    anything above the maximum.
    """
    value = float(points)
    if not math.isfinite(value):
        return 0.0
    return round(min(max(value, 0.0), float(most)), 6)
