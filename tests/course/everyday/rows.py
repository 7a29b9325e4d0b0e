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
from tests.course.everyday import work
from tests.course.everyday.work import Work, nbgrader

TOGETHER = 8  # cells of those that mean nothing to each other
TOLD = ["status", "flags", "repairs"]  # columns that say something
REFUSED = r"not graded|left out of what"


@dataclass(frozen=True)
class Row:
    """A notebook as it is handed in, and what must come of it.

    Args:
        name: says in a few words what somebody did. unit: its number.
        changed: functions of `work`, by name, and what each is given beside a perfect notebook.
        says: a regular expression for what the row of grades.csv says.
    """

    name: str
    unit: str
    changed: Sequence[tuple[Any, ...]] = ()
    says: str = ""

    def made(self) -> Work:
        made = Work(self.unit)
        for name, *given in self.changed:
            getattr(work, name)(made, *given)
        return made

    def points(self) -> tuple[float, float]:
        given = [nbgrader(cell) for cell in Work(self.unit).cells if nbgrader(cell).get("grade")]
        by_check = sum(float(cell["points"]) for cell in given if not cell["solution"])
        return by_check, sum(float(cell["points"]) for cell in given if cell["solution"])

    def is_told(self, said: str) -> bool:
        return bool(re.search(self.says, said)) and not re.search(REFUSED, said)


def _of_table() -> list[Row]:
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    rows = [Row(**row) for row in table["row"]]
    for place in ("on_top", "before", "above"):
        numbers = () if place == "on_top" else (1,)
        rows += [
            Row(name, unit, [(place, *numbers, code)])
            for unit, codes in table[place].items()
            for name, code in codes.items()
        ]
    together = [*table["together"].items()]
    for n in range(0, len(together), TOGETHER):
        names, codes = zip(*together[n : n + TOGETHER], strict=True)
        rows.append(Row(", ".join(names), "02", [("before", 1, *codes)]))
    return rows


ROWS = _of_table()


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
    assert [*table.student] == [f"r{n:03}" for n in range(len(rows))], table.to_string()
    found = table[["unit", "score", "pending"]].assign(name=[each.name for each in rows])
    found["says"] = table[TOLD].fillna("").agg(" | ".join, axis=1)
    found["hurt"] = [
        (score, pending) != row.points() or not row.is_told(said)
        for row, score, pending, said in zip(
            rows, found.score, found.pending, found.says, strict=True
        )
    ]
    return found
