"""The titles and points of the exercises, from their sources, where the checks can read them."""

from __future__ import annotations

import json
from pathlib import Path

from helpers.course.authoring import source
from helpers.course.settings import Course

PLACE = Path("helpers/checks/engine/contents.json")  # where the checks look for it


def write(course: Course) -> None:
    """Write it anew.

    Raises:
        CourseError: a source is refused.
    """
    text = _text(course)
    (course.root / PLACE).parent.mkdir(parents=True, exist_ok=True)
    (course.root / PLACE).write_text(text, encoding="utf-8")


def drift(course: Course) -> list[str]:
    """A line if it does not follow from the sources."""
    path = course.root / PLACE
    same = path.exists() and path.read_text(encoding="utf-8") == _text(course)
    return [] if same else [f"{path}: not what the sources say"]


def _text(course: Course) -> str:
    found = {}
    for unit in course.units():
        cells = source.read(course.text(unit))
        found[unit] = {
            "points": source.points(cells),
            "by_hand": sum(cell.keys["points"] for cell in cells if cell.kind == "essay"),
            "titles": {cell.name: cell.keys["title"] for cell in cells if cell.kind == "exercise"},
        }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"
