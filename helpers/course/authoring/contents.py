"""What follows from all sources together: titles and points, README.md's table, lists of checks."""

from __future__ import annotations

import json
import re
from pathlib import Path

from helpers.checks import package
from helpers.course.authoring import published, source
from helpers.course.settings import Course

PLACE = Path("helpers/checks/engine/contents.json")  # where the checks look for it
BADGES = re.compile(r"\A(# .+\n\n)(?:\[!\[tests\].+\n\n)?")
TABLE = re.compile(r"^\| unit \| exercises \|.*\n(?:\|.*\n)*", re.MULTILINE)
HEAD = '"""Unit {}: what its exercises ask and look at. `make build` writes this file."""\n'


def written(course: Course) -> dict[Path, str]:
    """Return the files beside the notebooks that `course build` writes, each with its text.

    Raises:
        CourseError: a source is refused.
    """
    found = {course.root / PLACE: as_json(course)}
    readme = course.root / "README.md"
    if readme.exists():
        found[readme] = as_readme(course, readme.read_text(encoding="utf-8"))
    for unit in course.units():
        folder = course.root / package(unit).replace(".", "/")
        if mistakes := sorted(path.stem for path in folder.glob("*.toml")):
            found[folder / "__init__.py"] = as_module(unit, mistakes)
    return found


def as_json(course: Course) -> str:
    """Return the points of each unit and the titles of its exercises.

    Raises:
        CourseError: a source is refused.
    """
    found = {}
    for unit in course.units():
        cells = source.read(course.text(unit))
        found[unit] = {
            "points": source.points(cells),
            "by_hand": sum(cell.keys["points"] for cell in cells if cell.kind == "essay"),
            "titles": {cell.name: cell.keys["title"] for cell in cells if cell.kind == "exercise"},
        }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def as_module(unit: str, exercises: list[str]) -> str:
    """Return the module that a notebook imports as `check`; it imports each exercise."""
    imports = [f"from {package(unit)}.{name} import {name}" for name in exercises]
    names = [f'    "{name}",' for name in exercises]
    return "\n".join([HEAD.format(unit), *imports, "", "__all__ = [", *names, "]", ""])


def as_readme(course: Course, text: str) -> str:
    """Return README.md with the table of units as it is now; once published, with badges too."""
    badges = published.readme_badges(course)
    text = BADGES.sub(lambda found: found[1] + (f"{badges}\n\n" if badges else ""), text)
    return TABLE.sub(lambda _: as_markdown(course), text)


def as_markdown(course: Course) -> str:
    """Return a row for each unit, exercises and points, and the sum."""
    rows = ["| unit | exercises | their minutes | points |", "| --- | --- | --- | --- |"]
    total = 0.0
    for unit in course.units():
        cells = source.read(course.text(unit))
        exercises = [cell.keys for cell in cells if cell.kind == "exercise"]
        titles = ", ".join(keys["title"] for keys in exercises)
        minutes = sum(keys["minutes"] for keys in exercises)
        points = source.points(cells)
        total += points
        link = f"[{unit}](solutions/{unit}/{unit}.ipynb)"
        rows.append(f"| {link} | {titles} | {minutes:g} | {points:g} |")
    return "\n".join([*rows, f"| | | | {total:g} |", ""])
