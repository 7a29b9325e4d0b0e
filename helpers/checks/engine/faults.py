"""Faults that an answer to any exercise may have, each found by the engine, with one hint.

What differs first between a learner's result and the right one, which is what the message tells of,
shows them. The hint of a mistake that the exercise knows goes before: it says why it matters there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from helpers.checks.engine import compare
from helpers.checks.engine.case import SEVEN, SIXTEEN, WRITTEN
from helpers.checks.engine.serialize import ARGUMENT, RESULT, SETTING, CapturedException


@dataclass(frozen=True)
class Fault:
    """Something that is wrong whatever is computed.

    Args:
        name: for the tables of the tests; the kind of a `CheckError`, where it is one.
        hint: where to look.
    """

    name: str
    hint: str


NO_GRADIENT = Fault(
    "no gradient",
    "Something cuts the gradient off on its way back, so nothing before it could learn: detach, "
    ".data, .item(), torch.tensor(…), no_grad or NumPy?",
)
DTYPE = Fault(
    "another dtype",
    "Your result has another dtype than it should. Operations keep the dtype of their inputs; "
    ".float(), torch.tensor(…), torch.zeros(…) and NumPy choose one of their own.",
)
PRECISION = Fault(
    "digits lost",
    "The dtype of your result is right, but its digits are not: something on the way is computed "
    "in float32, which keeps seven of sixteen.",
)
IN_PLACE = Fault(
    ARGUMENT,
    "You write into an argument, which belongs to the caller: work on a copy. Operations that end "
    "in _ and those like += change the tensor itself; sort, append and pop change a list.",
)
KEPT = Fault(
    RESULT,
    "You keep a result and return the same object at the next call. If one caller writes into it, "
    "it changes for all others: make a new one each time.",
)
SWITCHED = Fault(
    SETTING,
    "What you set holds for the whole program, for everybody's code. A `with` block such as "
    "torch.no_grad() restores it, and a dtype can be given to the function that makes a tensor.",
)
_OF_ERRORS = {fault.name: fault for fault in (IN_PLACE, KEPT, SWITCHED)}
_OF_TEXTS = {  # PyTorch's, where a question asks for a gradient
    "does not require grad": NO_GRADIENT,
    "appears to not have been used in the graph": NO_GRADIENT,
    "Can't call numpy() on Tensor that requires grad": NO_GRADIENT,
    WRITTEN: IN_PLACE,
}
_DTYPE = re.compile(r"^(?!none).*(?:int|float|bool|complex|False)")  # not "none, as it is a list"


def fault_in(found: Any, expected: Any, tolerance: float) -> Fault | None:
    """Return the fault that what differs first shows, if it does; the two are known to differ."""
    if isinstance(found, CapturedException):
        texts = (fault for text, fault in _OF_TEXTS.items() if text in found.text)
        return _OF_ERRORS.get(found.kind) or next(texts, None)
    if not isinstance(expected, dict) or type(found) is not dict:
        return None
    for key, right in expected.items():
        if key in found and not compare.same(found[key], right, tolerance):
            return _of_entry(str(key), found[key], right) or fault_in(found[key], right, tolerance)
    return None


def _of_entry(key: str, found: Any, right: Any) -> Fault | None:
    """The fault of an entry, which is known by its name."""
    if found == SEVEN and right == SIXTEEN:
        return PRECISION
    if "dtype" in key and _DTYPE.search(str(found)) and not isinstance(right, dict):
        return DTYPE
    if "gradient" in key and "finite" not in key and _less(found, right):
        return NO_GRADIENT
    return None


def _less(found: Any, right: Any) -> bool:
    """Whether there are none of the gradients, or not all, that there should be."""
    match right:
        case bool():
            return right and found is False
        case str():
            return type(found) is str and found.startswith("no gradient")
        case list():
            return (
                type(found) is list and len(found) < len(right) and all(e in right for e in found)
            )
        case Tensor():
            return found is None or (isinstance(found, Tensor) and not found.any())
    return False
