"""What a hint is given for: a mistake that an exercise lists, or a fault that any answer may have.

The mistakes stand in a TOML file beside the exercise's module, `table.toml` beside `table.py`:

    setup = "import torch"        # what every text below needs
    right = '''def table(…): …''' # a right answer, which the mistakes change; others by other names

    ["sine and cosine swapped"]
    edit = [["angles.sin(), angles.cos()", "angles.cos(), angles.sin()"]]  # of = "right"
    hint = "Sine and cosine have changed places: …"
    loses = ["the paper's base"]  # all parts, if none is named
    violates = ["$2i$ is the sine"]  # words of the sentences of the text that it breaks

Where no edit says it, `code` has the wrong answer in full; with `of`, behind that right answer. The
answer is what a text defines last. `also` lists further edits that show the same mistake.

A fault is shown by what differs first between a result and the right one, which is what the message
tells of. The hint of a mistake goes before: it says why it matters there.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from types import CodeType
from typing import Any

from torch import Tensor

from helpers.checks.engine import compare
from helpers.checks.engine.case import SEVEN, SIXTEEN, Answer, Case
from helpers.checks.engine.run import run_case
from helpers.checks.engine.serialize import ARGUMENT, RESULT, SETTING, CapturedException


@dataclass(frozen=True)
class Written:
    """An answer as a notebook cell has it: its imports, and last of all its definition.

    Args:
        name: what it is, in words.
        text: Python.
    """

    name: str
    text: str

    @property
    def answer(self) -> Answer:
        """The answer, made anew each time, so that it remembers nothing of earlier calls."""
        cell: dict[str, Any] = {"__name__": "__main__"}
        exec(self._code, cell)
        answer: Answer = cell[self.defines]
        return answer

    @cached_property
    def defines(self) -> str:
        """The name of the function or class."""
        body = reversed(ast.parse(self.text).body)
        return next(each.name for each in body if isinstance(each, ast.FunctionDef | ast.ClassDef))

    @cached_property
    def _code(self) -> CodeType:
        return compile(self.text, f"<{self.name}>", "exec", dont_inherit=True)


@dataclass(frozen=True)
class Mistake(Written):
    """A wrong answer that people give.

    Args:
        hint: names the mistake and says where to look, without giving the answer.
        loses: names of the parts that it must lose; the others it must keep.
        violates: words of the sentences in the exercise's text that it does not keep to.
    """

    hint: str
    loses: tuple[str, ...]
    violates: tuple[str, ...] = ()

    def gives(self, pairs: list[tuple[Case, Any]], tolerance: float) -> bool:
        """Whether the wrong answer gives these results; words of a ValueError are its author's."""
        answer = self.answer
        results = ((found, run_case(case, answer)) for case, found in pairs)
        return all(
            all(isinstance(each, CapturedException) and each.kind == "ValueError" for each in two)
            or compare.same(*two, tolerance)
            for two in results
        )


def load(module: str, parts: Sequence[str]) -> tuple[tuple[Written, ...], tuple[Mistake, ...]]:
    """Return the right answers and the mistakes of the exercise in a module, in the file's order.

    Args:
        module: its full name; the file stands beside it. Without one, there are none.
        parts: names of the exercise's parts.

    Raises:
        KeyError: a mistake changes a right answer that the file does not have.
        TypeError: it has an unknown key, or no hint.
        ValueError: it names an unknown part, or its edit replaces what is not there once.
    """
    if not module:
        return (), ()
    package, _, name = module.rpartition(".")
    file = resources.files(package) / f"{name}.toml"
    stored = tomllib.loads(file.read_text(encoding="utf-8"))
    setup = stored.pop("setup", "")
    right = {key: f"{setup}\n{text}" for key, text in stored.items() if isinstance(text, str)}

    def mistake(
        name: str,
        hint: str,
        edit: Sequence[tuple[str, str]] = (),
        also: Sequence[Sequence[tuple[str, str]]] = (),
        code: str = "",
        of: str = "",
        loses: Sequence[str] = parts,
        violates: Sequence[str] = (),
    ) -> list[Mistake]:
        whole, changed = right[of] if of else setup, right[of or "right"]
        texts = [f"{whole}\n{code}" if code else edited(changed, edit)]
        texts += [edited(changed, each) for each in also]
        if unknown := [part for part in loses if part not in parts]:
            raise ValueError(f"there is no part {unknown[0]!r}, only {[*parts]}")
        in_order = tuple(part for part in parts if part in loses)
        told, breaks = " ".join(hint.split()), tuple(violates)
        names = [name, *(f"{name}, way {n}" for n in range(2, len(texts) + 1))]
        return [Mistake(*each, told, in_order, breaks) for each in zip(names, texts, strict=True)]

    mistakes: list[Mistake] = []
    for key, entry in stored.items():
        if key not in right:
            try:
                mistakes += mistake(key, **entry)
            except (KeyError, TypeError, ValueError) as error:
                error.add_note(f"This is about [{key!r}] in {file}.")
                raise
    return tuple(Written(*each) for each in right.items()), tuple(mistakes)


def edited(text: str, edit: Sequence[tuple[str, str]]) -> str:
    """Return a text with each first in place of its second.

    Raises:
        ValueError: what is replaced is not there, or more than once.
    """
    for was, now in edit:
        if (times := text.count(was)) != 1:
            raise ValueError(f"{was!r} is {times} times in the right answer, not once")
        text = text.replace(was, now)
    return text


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
REFUSED_WRITE = Fault(
    "write that PyTorch refuses",
    "PyTorch does not write into a tensor that waits for a gradient, such as an argument or a "
    "Parameter: make a new one, y = x + 1 and not x += 1.",
)
_OF_ERRORS = {fault.name: fault for fault in (IN_PLACE, KEPT, SWITCHED)}
_OF_TEXTS = {  # PyTorch's, where a question asks for a gradient
    "does not require grad": NO_GRADIENT,
    "appears to not have been used in the graph": NO_GRADIENT,
    "Can't call numpy() on Tensor that requires grad": NO_GRADIENT,
    "leaf Variable that requires grad is being used in an in-place": REFUSED_WRITE,
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


def _of_entry(key: str, found: Any, expected: Any) -> Fault | None:
    """The fault of an entry, which is known by its name."""
    if found == SEVEN and expected == SIXTEEN:
        return PRECISION
    if "dtype" in key and _DTYPE.search(str(found)) and not isinstance(expected, dict):
        return DTYPE
    if "gradient" in key and "finite" not in key and _is_missing(found, expected):
        return NO_GRADIENT
    return None


def _is_missing(found: Any, expected: Any) -> bool:
    """Whether gradients that should be there are not, all or some."""
    match expected:
        case list():
            return type(found) is list and len(found) < len(expected)
        case Tensor():
            return found is None or (isinstance(found, Tensor) and not found.any())
    return found is False or (type(found) is str and found.startswith("no gradient"))
