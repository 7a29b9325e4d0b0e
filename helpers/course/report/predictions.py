"""What a class predicted before it saw; read from the cells' text, which is never run for it."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from helpers.course.authoring import source
from helpers.course.pages.page import number
from helpers.course.settings import Course
from helpers.predict import Prediction, read

BROKEN = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)  # of a learner's cell


class Asked(NamedTuple):
    """A prediction of a unit's source, and how many learners gave each answer."""

    unit: str
    question: str
    counts: list[tuple[str, int]]


def predictions(course: Course, out: Path, graded: pd.DataFrame) -> list[Asked]:
    """Return each prediction that the units ask for, with what the graded learners wrote."""
    found = []
    for unit, rows in graded.groupby("unit"):
        text = course.text(str(unit))
        asked = _calls([each.text for each in source.read(text)]) if text.exists() else {}
        if not asked:
            continue
        made = [_calls(_cells(out, str(unit), student)) for student in rows.student]
        for name, keywords in asked.items():
            question = keywords.pop("question")
            choices = {key: text for key, text in keywords.items() if key != "answer"}
            answers = [each.get(name, {}).get("answer", "") for each in made]
            found.append(Asked(str(unit), question, _counts(question, choices, answers)))
    return found


def _counts(question: str, choices: dict[str, str], written: list[Any]) -> list[tuple[str, int]]:
    """Return the answers in words, and how often each was given; what is none counts as none."""
    made = [Prediction(question, choices, read(each, choices)) for each in written]
    answers: list[Any] = [each.answer for each in made if each.made]
    counts = [(f"{letter}) {text}", answers.count(letter)) for letter, text in choices.items()]
    if answers and not choices:
        low, middle, high = map(number, np.quantile(answers, [0.25, 0.5, 0.75]))
        counts = [(f"numbers, median {middle}, middle half {low} to {high}", len(answers))]
    return [*counts, ("no prediction", len(written) - len(answers))]


def _cells(out: Path, unit: str, student: str) -> list[str]:
    path = out / "autograded" / student / unit / f"{unit}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def _calls(cells: list[str]) -> dict[str, dict[str, Any]]:
    """Return the question and the keywords of each call of `predict`, by its name."""
    found = {}
    for cell in cells:
        try:
            statements = ast.parse(cell).body if "predict(" in cell else []
        except BROKEN:
            continue
        for statement in statements:
            match statement:
                case ast.Expr(
                    ast.Call(ast.Name("predict"), [ast.Constant(str(name)), question], keywords)
                ):
                    values = {each.arg: each.value for each in keywords if each.arg}
                    values["question"] = question
                    found[name] = {key: _literal(value) for key, value in values.items()}
    return found


def _literal(node: ast.expr) -> Any:
    """Return a number or a text as written; "" where it is none."""
    try:
        return ast.literal_eval(node)
    except BROKEN:
        return ""
