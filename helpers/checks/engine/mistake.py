"""The wrong answers that people give to an exercise, each with its hint, as its TOML file has them.

The file stands beside the exercise's module, `table.toml` beside `table.py`:

    setup = "import torch"        # what every text below needs
    right = '''def table(…): …''' # a right answer, which the mistakes change; others by other names

    ["sine and cosine swapped"]
    edit = [["angles.sin(), angles.cos()", "angles.cos(), angles.sin()"]]  # of = "right"
    hint = "Sine and cosine have changed places: …"
    loses = ["the paper's base"]  # all parts, if none is named
    violates = ["$2i$ is the sine"]  # words of the sentences of the text that it breaks

Where no edit says it, `code` has the wrong answer in full; with `of`, behind that right answer. The
answer is what a text defines last.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from types import CodeType
from typing import Any

from helpers.checks.engine import compare
from helpers.checks.engine.case import Answer, Case
from helpers.checks.engine.run import run_case


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
        """Whether the wrong answer gives these results."""
        answer = self.answer
        return all(compare.same(found, run_case(case, answer), tolerance) for case, found in pairs)


def read(module: str, parts: Sequence[str]) -> tuple[tuple[Written, ...], tuple[Mistake, ...]]:
    """Return the right answers and the mistakes of the exercise in a module, in the file's order.

    Args:
        module: its full name; the file stands beside it. Without one, there are none.
        parts: names of the exercise's parts.

    Raises:
        TypeError: an entry has an unknown key, or no hint.
        ValueError: it names an unknown part, or an edit whose text is not there once.
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
        code: str = "",
        of: str = "",
        loses: Sequence[str] = parts,
        violates: Sequence[str] = (),
    ) -> Mistake:
        before = right[of] if of else setup
        text = f"{before}\n{code}" if code else edited(right[of or "right"], edit)
        in_order = tuple(sorted(loses, key=[*parts].index))
        return Mistake(name, text, " ".join(hint.split()), in_order, tuple(violates))

    mistakes = (mistake(key, **entry) for key, entry in stored.items() if key not in right)
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
