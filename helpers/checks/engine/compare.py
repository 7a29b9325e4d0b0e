"""Is the learner's result the expected one, and if not, what is the plainest thing to say?"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from helpers.checks.engine import relate

ARRAYS = (Tensor, nn.Parameter, np.ndarray)  # exact types: a subclass could answer what it likes
LINE = 100  # characters of a value that a message shows
SHORT = 8  # entries of a list that a message shows in full
_YES = {True: "yes", False: "no"}


@dataclass(frozen=True)
class Other:
    """Stands for a value that no check expects: its type's name, and what it shows of itself."""

    kind: str
    text: str

    def __repr__(self) -> str:
        return self.text


def as_tensor(value: Any) -> Tensor | None:
    """Return it as a float64 tensor on the CPU; None where it is no array of real numbers."""
    if type(value) not in ARRAYS:
        return None
    try:
        if isinstance(value, np.ndarray):
            # A fresh copy: PyTorch warns of, or refuses, some of NumPy's views.
            real = value.dtype.kind in "biuf"
            return torch.from_numpy(np.array(value, np.float64)) if real else None
        tensor = value.detach().to_dense().cpu()
        # A copy: the answer may write into its own tensor later.
        return None if tensor.is_complex() else tensor.to(torch.float64, copy=True)
    except (TypeError, ValueError, RuntimeError):  # no numbers in it, as in a meta tensor
        return None


def as_number(value: Any) -> Any:
    """Make a plain number a tensor: int, float, fraction and tensor are equally welcome."""
    plain = isinstance(value, Real | Decimal) and not isinstance(value, bool)
    return torch.tensor(float(value), dtype=torch.float64) if plain else value


def no_plain_tensor(value: Any) -> Any:
    """Return what a message says of a value that should have been a tensor of PyTorch.

    A dictionary must not be taken for what a question finds out.
    """
    if type(value) is dict:
        return Other("dict", f"a dictionary with {len(value)} entries")
    return array(value) if type(value) in ARRAYS else value


def array(value: Any) -> Other:
    """Describe an array or a tensor without its numbers."""
    dtype = str(value.dtype).removeprefix("torch.")[:40]
    kind = "NumPy array" if isinstance(value, np.ndarray) else type(value).__name__
    text = f"a {kind} of shape {tuple(value.shape)} in {dtype}"
    return Other(f"{type(value).__name__} of {dtype}", text)


def same(found: Any, expected: Any, tolerance: float) -> bool:
    """Return whether the two agree: tensors in shape and numbers, all else exactly.

    `tolerance` is absolute for numbers up to 1 and relative beyond. What is not a number is like
    itself, so that a mistake that ends in nan can be told.
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
            and torch.allclose(
                tensor, expected.to(torch.float64), tolerance, tolerance, equal_nan=True
            )
        )
    if type(found) is not type(expected):
        return False
    return found == expected or (found != found and expected != expected)  # nan


def difference(found: Any, expected: Any, tolerance: float) -> str:
    """Say in one sentence how `found` differs from `expected`."""
    if found is None and expected is not None:
        return "your function returns nothing. Is a return missing?"
    return _difference(found, expected, tolerance)


def _difference(found: Any, expected: Any, tolerance: float) -> str:
    match expected:
        case dict() if type(found) is dict and not found.keys().isdisjoint(expected):
            return _differing_entry(found, expected, tolerance)
        case dict():  # what was found is not even of the form that is asked about
            kind = f"a {type(found).__name__}, " if isinstance(found, list | tuple) else ""
            tensors = (each for each in expected.values() if isinstance(each, Tensor))
            form = shown(next(tensors, list(expected)))
            return f"found {kind}{shown(found)}, expected {form}."
        case list() | tuple() if type(found) is type(expected):
            return _differing_place(found, expected, tolerance)
        case Tensor():
            return _differing_number(found, expected, tolerance)
    return _two_values(found, expected)


def _differing_entry(found: dict[Any, Any], expected: dict[Any, Any], tolerance: float) -> str:
    shared = (key for key in expected if key in found)
    wrong = (key for key in shared if not same(found[key], expected[key], tolerance))
    if (key := next(wrong, None)) is None:
        return f"found the entries {shown(list(found))}, expected {shown(list(expected))}."
    if type(expected[key]) is bool and type(found[key]) is bool:
        return f"{key}: found {_YES[found[key]]}, expected {_YES[expected[key]]}."
    return f"{key}: {_difference(found[key], expected[key], tolerance)}"


def _differing_place(found: Any, expected: Any, tolerance: float) -> str:
    if len(found) != len(expected) or (len(expected) <= SHORT and shown(found) != shown(expected)):
        return f"found {shown(found)}, expected {shown(expected)}."
    pairs = enumerate(zip(found, expected, strict=True))
    place, pair = next(each for each in pairs if not same(*each[1], tolerance))
    return f"at index {place}: {_difference(*pair, tolerance)}"


class _Shown(reprlib.Repr):
    """Shows of a value a line, and of a tensor its shape."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxdict = SHORT
        self.maxstring = self.maxother = self.maxlong = 80

    def repr1(self, x: Any, level: int) -> str:
        match x:
            case float():
                return "0" if abs(x) < 1e-6 else f"{x:.6g}"  # what rounding leaves of 0
            case Tensor() if x.dim() == 0:
                return self.repr1(x.item(), level)
            case Tensor():
                return f"a tensor of shape {tuple(x.shape)}"
        return super().repr1(x, level)


def shown(value: Any) -> str:
    """Say a value in one line; what is too long for that is cut in the middle."""
    text = _Shown().repr(value)
    return text if len(text) <= LINE else f"{text[: LINE // 2 - 2]} … {text[1 - LINE // 2 :]}"


def _differing_number(found: Any, expected: Tensor, tolerance: float) -> str:
    tensor = as_tensor(found)
    if tensor is None:
        advice = ""
        if type(found) in (list, tuple):
            whole = any(isinstance(each, Tensor) for each in found)
            advice = " Return the result alone." if whole else " Wrap it in torch.tensor(…)."
        kind = found.kind if isinstance(found, Other) else type(found).__name__
        return f"expected real numbers of shape {tuple(expected.shape)}, found {kind}.{advice}"
    right = expected.to(torch.float64)
    if tensor.shape != expected.shape:
        differ = f"expected the shape {tuple(expected.shape)}, found {tuple(tensor.shape)}."
        return f"{differ} {relate.shapes(tensor, right, tolerance)}".strip()
    if not tensor.isfinite().all() and expected.isfinite().all():
        differ = "some of your numbers are infinite or nan (not a number)."
        return f"{differ} {relate.places(~tensor.isfinite())}".strip()
    if expected.numel() == 1:
        return _two_values(tensor.item(), float(expected.item()))
    wrong = ~torch.isclose(tensor, right, tolerance, tolerance, equal_nan=True)
    index = tuple(int(i) for i in wrong.nonzero()[0])
    two = (tensor[index].item(), right[index].item())
    what = "entries" if expected.dtype == torch.bool else "numbers"
    differ = _two_values(*map(bool, two)) if what == "entries" else _two_values(*two)
    first = f"the first at index [{', '.join(map(str, index))}]: {differ}"
    relation = relate.numbers(tensor, right, wrong, tolerance)
    return f"{int(wrong.sum()):,} of {wrong.numel():,} {what} differ; {first} {relation}".strip()


def _two_values(found: Any, expected: Any) -> str:
    """Show both in short; where that looks the same, with their types, or else in full."""
    texts = [shown(found), shown(expected)]
    if texts[0] == texts[1]:
        kinds = [type(each).__name__ for each in (found, expected)]
        if kinds[0] != kinds[1]:
            texts = [f"{text} ({kind})" for text, kind in zip(texts, kinds, strict=True)]
        else:
            texts = [repr(each)[:200] for each in (found, expected)]
    return f"found {texts[0]}, expected {texts[1]}."
