"""What an answer said, as plain values that another process can read without trusting anyone.

What it raised is one of these values, and so is what the engine itself finds wrong with it.
"""

from __future__ import annotations

import base64
import math
import sys
import sysconfig
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from helpers.checks.engine import compare
from helpers.checks.engine.compare import Other

DEPTH = 12  # containers within containers; some lists hold themselves
TEXT = 10_000  # characters
BITS = 1024  # of an integer
KEY_BITS = 60  # of one that is a key
AXES = 64  # of a tensor
LONGEST = 160  # characters of an error's text
EXPLAINED = {  # what Python says of a mistake that people make, and what it means
    "'float' object has no attribute 'numerator'": " (statistics was given a nan or an infinity)",
}
ARGUMENT, RESULT, SETTING = "argument changed", "result kept", "setting changed"  # by an answer
# Where no learner writes: this package, Python and what is installed.
_OURS = (
    str(Path(__file__).resolve().parents[2]),
    *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")),
    sys.prefix,
    "<frozen",
)


class CheckError(Exception):
    """A finding of the check, not an error of the learner's code.

    Args:
        text: a sentence for the learner, without its full stop.
        kind: what it is known by; with a blank, so that no class has this name.
    """

    def __init__(self, text: str, kind: str = "form of the result") -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True)
class CapturedException:
    """A question that ended in an exception, with the line of the learner's code, if known."""

    kind: str
    text: str
    line: str = field(default="", compare=False)

    def message(self) -> str:
        """Say it in words, for the learner."""
        if " " in self.kind:
            return f"{self.text}."
        return f"your code stops with {self.kind}" + (f": {self.text}" if self.text else ".")


RESULT_MUTATED = CapturedException(
    RESULT,
    "a later call of your function changes this result, or returns the same object: "
    "return a new one each time",
)


def capture(error: BaseException) -> CapturedException:
    """What is told of an exception: its kind, the first line of its text, and where it arose."""
    text = str(error).strip().split("\n")[0]
    text += EXPLAINED.get(text, "")
    short = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    kind = error.kind if isinstance(error, CheckError) else type(error).__name__
    return CapturedException(kind, short, _line(error))


def _line(error: BaseException) -> str:
    """The last line of the traceback that stands in a cell, or in another file of the learner."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.line and not frame.filename.startswith(_OURS)]
    return f"line {own[-1].lineno}: {own[-1].line}"[:120] if own else ""


def sanitize(value: Any, depth: int = 0) -> Any:
    """Numbers, texts, float64 tensors and containers of these; anything else becomes `Other`.

    Types are compared exactly: an object of a subclass could answer what it likes. Of a text of a
    subclass, such as NumPy's or an enumeration's, the characters are taken and nothing is asked.
    """
    if type(value) in (list, tuple) and depth < DEPTH:
        return type(value)(sanitize(each, depth + 1) for each in value)
    if type(value) is dict and depth < DEPTH:
        return {_key(key): sanitize(each, depth + 1) for key, each in value.items()}
    if isinstance(value, str):
        value = str.__str__(value)
    if value is None or type(value) in (bool, float):
        return value
    if (type(value) is int and value.bit_length() <= BITS) or (
        type(value) is str and len(value) <= TEXT
    ):
        return value
    tensor = compare.as_tensor(value)
    return _other(value) if tensor is None else tensor


def _key(key: Any) -> Any:
    short = type(key) is int and key.bit_length() <= KEY_BITS
    return key if short or type(key) in (str, bool) else repr(key)[:TEXT]


def _other(value: Any) -> Other:
    if type(value) in compare.ARRAYS:
        return compare.array(value)
    try:
        text = str(repr(value))[:200]
    except Exception:  # an object that cannot even say what it is
        text = "?"
    return Other(type(value).__name__, text)


def encode(value: Any) -> Any:
    """A plain value as JSON; floats and tensors keep every bit."""
    match value:
        case Tensor():
            numbers = np.ascontiguousarray(value.numpy(), "<f8").tobytes()
            return {"tensor": base64.b64encode(numbers).decode(), "shape": list(value.shape)}
        case float():
            return {"float": value.hex()}
        case list() | tuple():
            return {type(value).__name__: [encode(each) for each in value]}
        case dict():
            return {"dict": [[key, encode(each)] for key, each in value.items()]}
        case Other():
            return {"other": [value.kind, value.text]}
        case CapturedException():
            return {"raised": [value.kind, value.text, value.line]}
        case _:
            return value


def decode(data: Any) -> Any:
    """The inverse of `encode`.

    Raises:
        ValueError: `data` is nothing that `encode` returns.
    """
    try:
        match data:
            case int() if data.bit_length() > BITS:
                raise ValueError(f"no answer is a number of {data.bit_length()} bits")
            case None | bool() | int() | str():
                return data
            case {"tensor": str(numbers), "shape": [*shape]}:
                found = np.frombuffer(base64.b64decode(numbers, validate=True), "<f8")
                # To multiply numbers without bounds could take minutes.
                lengths = all(type(n) is int and 0 <= n < 1 << KEY_BITS for n in shape)
                if len(shape) > AXES or not lengths or found.size != math.prod(shape):
                    raise ValueError(f"{found.size} numbers do not fill the shape they should have")
                return torch.from_numpy(found.astype(np.float64)).reshape(shape)
            case {"float": str(digits)}:
                return float.fromhex(digits)
            case {"list": [*values]}:
                return [decode(each) for each in values]
            case {"tuple": [*values]}:
                return tuple(decode(each) for each in values)
            case {"dict": [*pairs]}:
                # Larger numbers could be chosen to have one and the same hash.
                if long := [k for k, _ in pairs if type(k) is int and k.bit_length() > KEY_BITS]:
                    raise ValueError(f"no answer has a key of {long[0].bit_length()} bits")
                return {key: decode(each) for key, each in pairs}
            case {"other": [str(kind), str(text)]}:
                return Other(kind, text)
            case {"raised": [str(kind), str(text), str(line)]}:
                return CapturedException(kind, text, line)
    except (TypeError, KeyError, RecursionError, OverflowError, RuntimeError) as error:
        raise ValueError(f"no answer can be read from this: {error}") from error
    raise ValueError(f"no answer has the form {type(data).__name__}")
