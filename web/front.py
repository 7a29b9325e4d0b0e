"""The first page, and the list of the units: what this is, and one click to begin."""

from __future__ import annotations

import html
from collections.abc import Sequence
from string import Template

from helpers.claims import CLAIMS
from helpers.course.authoring import published
from helpers.course.settings import Course
from helpers.encodings import REGISTRY
from web.explore import Figure
from web.markdown import raw
from web.units import Unit, way

FIRST = "move-a-word"  # the figure that the page begins with


def page(text: str, course: Course, units: Sequence[Unit], figures: Sequence[Figure]) -> str:
    """The first page; `text` is its Markdown, with names of what is counted or drawn."""
    ways = [way(f"units/{units[0].name}.html", f"Begin with unit {units[0].name[:2]}", "first")]
    if course.published:
        ways.append(way(published.colab(units[0].name, course), "Open it in Colab"))
    first = next((each for each in figures if each.name == FIRST), None)
    return Template(text).substitute(
        ways=raw(f'<p class="ways">{" ".join([*ways, way("explore/index.html", "Explore")])}</p>'),
        figure=raw(first.markup("")) if first else STILL,
        units=raw(cards(units, "units/")),
        number=len(units),
        points=f"{sum(each.points for each in units):g}",
        exercises=sum(len(each.titles) for each in units),
        hints=f"{sum(len(each.mistakes) for u in units for each in u.exercises.values()):,}",
        encodings=len(REGISTRY),
        claims=len(CLAIMS),
        hours=round(sum(map(hours, units))),
    )


STILL = """\
![A check in JupyterLab, partly right, with a hint that names the mistake, beside a slider that
moves a table of sines and cosines.](more/first.png)
"""


def cards(units: Sequence[Unit], folder: str = "") -> str:
    """A card for each unit."""
    return f'<ul class="cards">{"".join(_card(each, folder) for each in units)}</ul>'


def _card(unit: Unit, folder: str) -> str:
    exercises = html.escape(", ".join(unit.titles))
    return (
        f'<li><a href="{folder}{unit.name}.html">{html.escape(unit.title)}</a>'
        f"<p>{exercises}</p>"
        f'<p class="quiet">{unit.reading} minutes to read and run · {unit.minutes:g} of exercises'
        f" · {unit.points:g} points</p></li>"
    )


def index(text: str, units: Sequence[Unit]) -> str:
    """The page that lists the units, with what they take."""
    each = [hours(unit) for unit in units[1:]]
    return Template(text).substitute(
        units=raw(cards(units)),
        hours=round(sum(map(hours, units))),
        least=f"{min(each):.1f}",
        most=f"{max(each):.1f}",
        reading=f"{sum(unit.reading for unit in units) / 60:.1f}",
    )


def hours(unit: Unit) -> float:
    """That a unit takes."""
    return (unit.reading + unit.minutes) / 60
