"""A row for each everyday notebook, and what comes of grading them as one class."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from helpers.course import settings
from helpers.course.grading import grade
from tests.common import ISOLATED, ROOT
from tests.course.everyday import cells, changes
from tests.course.everyday.work import Change, Work, nbgrader

TOGETHER = 8  # cells of those that mean nothing to each other
TOLD = ["status", "flags", "repairs"]  # columns that say something
SHOWN = ["name", "unit", "score", "of", "pending", "hurt", "says"]


@dataclass(frozen=True)
class Row:
    """A notebook as it is handed in, and what must come of it.

    Args:
        name: says in a few words what somebody did. unit: its number.
        changes: make what is handed in of a perfect notebook, one after the other.
        points: those of all checks, unless told.
        says: a regular expression for what the row of grades.csv says. never: for what it does not.
    """

    name: str
    unit: str
    changes: tuple[Change, ...]
    points: float | None
    says: str
    never: str

    def made(self) -> Work:
        """Return what is handed in."""
        work = Work(self.unit)
        for change in self.changes:
            change(work)
        return work


def row(
    name: str,
    unit: str,
    *changes: Change,
    points: float | None = None,
    says: str = "",
    never: str = r"not graded|left out of what",
) -> Row:
    """Return a row of a table."""
    return Row(name, unit, changes, points, says, never)


def of_table() -> list[Row]:
    """Return the rows of rows.toml."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    rows = [_of_text(**each) for each in table["row"]]
    together = [*table["together"].items()]
    for n in range(0, len(together), TOGETHER):
        names, codes = zip(*together[n : n + TOGETHER], strict=True)
        rows.append(row(", ".join(names), "02", changes.before(1, *codes)))
    return rows + [
        row(name, "02", changes.before(1, code)) for name, code in table["alone"].items()
    ]


def _of_text(
    name: str, unit: str, changed: Sequence[list[Any]] = (), report: str = "", **wanted: Any
) -> Row:
    """Return a row whose changes are functions of changes.py, as texts, and their arguments."""
    made = []
    for function, *arguments in changed:
        if function in ("each_cell", "answers", "checks", "whole", "written"):
            arguments = [getattr(cells, each) for each in arguments]
        named = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        made.append(getattr(changes, function)(*arguments, **named))
    return row(name, unit, *made, **wanted)


def graded(rows: Sequence[Row], folder: Path) -> pd.DataFrame:
    """Grade rows as one class; return what came of each in their order, `hurt` where it should not.

    A unit's essays wait for a person, so their points may be pending.
    """
    for n, each in enumerate(rows):
        for path, content in each.made().files(f"r{n:03}").items():
            place = folder / "in" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    course = settings.find(ROOT)
    table = grade.grade(course, folder / "in", folder / "out", isolated=ISOLATED)
    number = table.student.str.extract(r"r(\d{3})", expand=False).astype(int)
    # Who hands a unit in under another one's name has a row of either.
    table = table[[unit[:2] == rows[n].unit for n, unit in zip(number, table.unit, strict=True)]]
    assert list(number[table.index]) == list(range(len(rows))), table[["student", "status"]]
    table = table.reset_index(drop=True)
    said = table[TOLD].fillna("").agg(" | ".join, axis=1)
    found = pd.DataFrame({"name": [each.name for each in rows], "unit": table.unit, "says": said})
    found["score"], found["pending"] = table.score, table.pending
    wanted = [_points(each) for each in rows]
    found["of"] = [points for points, _ in wanted]
    found["hurt"] = (
        (found.score != found.of)
        | (found.pending != [essays for _, essays in wanted])
        | ~pd.Series([_is_told(*each) for each in zip(rows, said, strict=True)])
    )
    return found[SHOWN]


def _points(each: Row) -> tuple[float, float]:
    """Return the points that a row must have, and those that a person will give."""
    if each.points == 0:
        return 0.0, 0.0
    given = [nbgrader(cell) for cell in Work(each.unit).cells if nbgrader(cell).get("grade")]
    by_check = sum(float(cell["points"]) for cell in given if not cell["solution"])
    essays = sum(float(cell["points"]) for cell in given if cell["solution"])
    return by_check if each.points is None else each.points, essays


def _is_told(each: Row, said: str) -> bool:
    return bool(re.search(each.says, said)) and not re.search(each.never, said)
