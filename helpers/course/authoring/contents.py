"""What all sources say together: titles and points for the checks, and README.md's table."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from helpers.course.authoring import published, source
from helpers.course.settings import Course

PLACE = Path("helpers/checks/engine/contents.json")  # where the checks look for it


def main(course: Course, _options: argparse.Namespace) -> None:
    """Run `course units`."""
    if badges := published.readme_badges(course):
        print(badges, end="\n\n")
    print(as_markdown(course))


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
    return "\n".join([*rows, f"| | | | {total:g} |"])
