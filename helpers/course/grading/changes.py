"""OUT/changes.csv: what is another after a notebook was graded again, as by a mended check."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from helpers.course.pages.feedback import Grade, Mark
from helpers.course.settings import printable

NAME = "changes.csv"
COLUMNS = [
    "when", "student", "unit", "exercise", "points_before", "points_after", "hint_before",
    "hint_after",
]  # fmt: skip
Hints = Mapping[str, list[str]]  # by exercise


def between(before: Mark, after: Mark, hints: Hints, hints_after: Hints) -> list[list[Any]]:
    """Return a line for each exercise of a notebook whose points or hints are others."""
    lines = []
    for name, grade in before.grades.items():
        exercise = name.removesuffix("-test")
        points = [_points(each) for each in (grade, after.grades.get(name, Grade()))]
        both = [" ".join(dict.fromkeys(each.get(exercise, []))) for each in (hints, hints_after)]
        if grade.max_score and (points[0] != points[1] or both[0] != both[1]):
            lines.append([datetime.now(UTC), after.student, after.unit, exercise, *points, *both])
    return lines


def _points(grade: Grade) -> str:
    """Return a number, "pending", or both: given by hand before the answer was changed."""
    known = grade.by_hand or grade.score or not grade.needs_manual
    return ", ".join([f"{grade.score:g}"] * bool(known) + ["pending"] * grade.needs_manual)


def add(out: Path, lines: list[list[Any]]) -> None:
    """Append lines, which are columns of `COLUMNS`, to OUT/changes.csv."""
    if lines:
        path, table = out / NAME, pd.DataFrame(lines, columns=COLUMNS)
        table.to_csv(path, mode="a", header=not path.exists(), index=False)


def in_words(out: Path) -> list[str]:
    """Return the lines of OUT/changes.csv in words, the oldest first."""
    if not (out / NAME).exists():
        return []
    found = []
    table = pd.read_csv(out / NAME, dtype=str, keep_default_na=False).map(printable)
    for row in table.itertuples():
        text = f"{row.student}, {row.unit}, {row.exercise}: "
        text += f"{row.points_before} → {row.points_after} points"
        if row.hint_before != row.hint_after:
            text += f"\n  hint before: {row.hint_before or 'none'}"
            text += f"\n  hint after: {row.hint_after or 'none'}"
        found.append(text)
    return found
