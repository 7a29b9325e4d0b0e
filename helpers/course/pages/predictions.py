"""What a class predicted before it saw; read from the cells' text, which is never run for it."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from helpers.course.authoring import source
from helpers.course.settings import Course
from helpers.predict import Prediction, read


@dataclass
class Asked:
    """A prediction of a unit's source, and how many learners gave each answer.

    Args:
        choices: letter → text; without any, the answers are numbers.
    """

    unit: str
    question: str
    choices: dict[str, str]
    given: Counter[str | float] = field(default_factory=Counter)
    none: int = 0

    @property
    def numbers(self) -> pd.Series:
        """The numbers given."""
        return pd.Series(list(self.given.elements()), dtype=float)

    def count(self, answer: Any) -> None:
        """Enter one learner's answer; whatever is none is counted as none."""
        made = Prediction(self.question, self.choices, read(answer, self.choices))
        if made.made:
            self.given[made.answer] += 1
        else:
            self.none += 1


def predictions(course: Course, out: Path, graded: pd.DataFrame) -> list[Asked]:
    """Each prediction that the units' sources ask for, with what the graded learners wrote."""
    found: dict[tuple[str, str], Asked] = {}
    for unit in sorted(set(graded.unit)):
        text = course.text(unit)
        cells = [each.text for each in source.read(text)] if text.exists() else []
        for name, said in _calls(cells):
            choices = {key: value for key, value in said.items() if key not in ("", "answer")}
            found[unit, name] = Asked(unit, str(said.get("", "")), choices)
    for row in graded.itertuples():
        if any(unit == row.unit for unit, _ in found):
            answers = {name: said.get("answer") for name, said in _calls(_cells(out, row))}
            for (unit, name), asked in found.items():
                if unit == row.unit:
                    asked.count(answers.get(name))
    return list(found.values())


def _cells(out: Path, row: Any) -> list[str]:
    path = out / "autograded" / row.student / row.unit / f"{row.unit}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def _calls(cells: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name, question (under "") and keywords of each call of `predict` that stands by itself."""
    for cell in cells:
        if "predict(" not in cell:
            continue
        try:
            statements = ast.parse(cell).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # a learner's cell may hold anything
        for statement in statements:
            match statement:
                case ast.Expr(ast.Call(ast.Name("predict"), args=[name, question], keywords=given)):
                    said = {"": question} | {each.arg: each.value for each in given if each.arg}
                    if isinstance(name, ast.Constant) and isinstance(name.value, str):
                        yield name.value, {key: _constant(value) for key, value in said.items()}


def _constant(node: ast.expr) -> Any:
    """A number or a text as written, with its sign; else nothing."""
    match node:
        case ast.Constant(value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
    return None
