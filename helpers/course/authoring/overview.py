"""What `README.md` says of all units: their table, and badges once there is an address."""

from __future__ import annotations

from helpers.course.authoring import colab, source
from helpers.course.settings import Course

SHIELD = "https://img.shields.io/badge"


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


def badges(course: Course, tried: tuple[tuple[int, int], ...]) -> str:
    """A line of badges: tests, Colab and Binder on the first unit, versions of Python from and to.

    Empty for a course that is not published, since they would lead nowhere.
    """
    if not course.published:
        return ""
    home = f"https://github.com/{course.owner}/{course.repository}"
    tests = f"{home}/actions/workflows/test.yml"
    first, last = (f"{major}.{minor}" for major, minor in tried)
    python = f"![Python {first} to {last}]({SHIELD}/python-{first}_to_{last}-blue)"
    first_unit = colab.badges(course.units()[0], course)
    return f"[![tests]({tests}/badge.svg)]({tests}) {first_unit} {python}"
