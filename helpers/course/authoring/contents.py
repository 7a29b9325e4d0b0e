"""What follows from all sources together: titles and points, README.md's table, lists of checks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from helpers.checks import package
from helpers.course.authoring import source
from helpers.course.authoring.source import Cell
from helpers.course.settings import Course

PLACE = Path("helpers/checks/engine/contents.json")  # where the checks look for it
TABLE = re.compile(r"^\| unit \| exercises \|.*\n(?:\|.*\n)*", re.MULTILINE)
HEAD = '"""Unit {}: what its exercises ask and look at. `make build` writes this file."""\n'


def written(course: Course) -> dict[Path, str]:
    """Return the files beside the notebooks that `course build` writes, each with its text.

    Raises:
        CourseError: a source is refused.
    """
    cells = {unit: source.read(course.text(unit)) for unit in course.units()}
    told = {unit: _contents(of_unit) for unit, of_unit in cells.items()}
    text = json.dumps(told, ensure_ascii=False, indent=1)
    found = {course.root / PLACE: text + "\n"}
    readme = course.root / "README.md"
    if readme.exists():
        text = readme.read_text(encoding="utf-8")
        found[readme] = TABLE.sub(lambda _: _table(cells), text)
    for unit in cells:
        folder = course.root / package(unit).replace(".", "/")
        if mistakes := sorted(path.stem for path in folder.glob("*.toml")):
            # The module that a notebook imports as `check`.
            imports = [f"from {package(unit)}.{name} import {name}" for name in mistakes]
            names = ["__all__ = [", *(f'    "{name}",' for name in mistakes), "]"]
            text = "\n".join([HEAD.format(unit), *imports, "", *names, ""])
            found[folder / "__init__.py"] = text
    return found


def _contents(cells: list[Cell]) -> dict[str, Any]:
    return {
        "points": source.points(cells),
        "by_hand": sum(cell.keys["points"] for cell in cells if cell.kind == "essay"),
        "titles": {cell.name: cell.keys["title"] for cell in cells if cell.kind == "exercise"},
    }


def _table(units: dict[str, list[Cell]]) -> str:
    """Return a row for each unit, exercises and points, and the sum."""
    rows = ["| unit | exercises | their minutes | points |", "| --- | --- | --- | --- |"]
    for unit, cells in units.items():
        exercises = [cell.keys for cell in cells if cell.kind == "exercise"]
        titles = ", ".join(keys["title"] for keys in exercises)
        minutes = sum(keys["minutes"] for keys in exercises)
        link = f"[{unit}](solutions/{unit}/{unit}.ipynb)"
        rows.append(f"| {link} | {titles} | {minutes:g} | {source.points(cells):g} |")
    total = sum(map(source.points, units.values()))
    return "\n".join([*rows, f"| | | | {total:g} |", ""])
