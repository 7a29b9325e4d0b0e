"""The table of units, from their sources."""

from __future__ import annotations

from helpers.course.authoring import source
from helpers.course.settings import Course


def as_markdown(course: Course) -> str:
    """One row per unit, exercises and points, and the sum."""
    rows = ["| unit | exercises | their minutes | points |", "| --- | --- | --- | --- |"]
    total = 0.0
    for unit in course.units():
        cells = source.read(course.text(unit))
        exercises = [cell for cell in cells if cell.kind == "exercise"]
        titles = ", ".join(cell.keys["title"] for cell in exercises)
        minutes = sum(cell.keys["minutes"] for cell in exercises)
        points = source.points(cells)
        total += points
        link = f"[{unit}](solutions/{unit}/{unit}.ipynb)"
        rows.append(f"| {link} | {titles} | {minutes:g} | {points:g} |")
    return "\n".join([*rows, f"| | | | {total:g} |"])
