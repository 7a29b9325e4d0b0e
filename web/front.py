"""The first page, and the list of the units: what this is, and one click to begin."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template
from typing import Any

import matplotlib.pyplot as plt

from helpers import plots, results
from helpers.claims import CLAIMS
from helpers.course.authoring import published
from helpers.course.settings import Course
from helpers.encodings import REGISTRY
from web.explore import load
from web.markdown import prose, raw
from web.outputs import Outputs
from web.units import Unit, way

FIGURE = f"""\
<figure class="explorable hero" data-module="swap">
<figcaption>Swap two words: does attention see it?</figcaption>
<p class="fallback">Five words go through attention. If dog and man change places, attention without
positions gives each word exactly the numbers that it had before; with positions all of them change.
</p></figure>{load("swap", "")}"""
SHOWN = ("none", "sinusoidal", "Shaw keys")  # in the picture of losses


def page(text: str, course: Course, units: Sequence[Unit], outputs: Outputs) -> str:
    """The first page; `text` is its Markdown, with names of what is counted or drawn."""
    ways = ""
    if course.published:
        colab = way(published.colab(units[0].name, course), "Open unit 00 in Colab")
        ways = f'<p class="ways">{colab}{way(published.github(course), "The repository")}</p>'
    exercises = [each for unit in units for each in unit.exercises.values()]
    return Template(text).substitute(
        ways=raw(ways),
        first=units[0].name,
        figure=raw(FIGURE),
        race=raw(outputs.picture(*race())),
        units=raw(cards(units, "units/")),
        number=len(units),
        points=f"{sum(each.points for each in units):g}",
        exercises=sum(len(each.titles) for each in units),
        hints=f"{sum(len({m.hint for m in each.mistakes}) for each in exercises):,}",
        encodings=len(REGISTRY),
        claims=len(CLAIMS),
        hours=round(sum(map(hours, units))),
    )


def race() -> tuple[Any, str]:
    """Losses by length from the stored sweep as a picture, and that in words."""
    rows = results.load("lag3").table
    figure, ax = plt.subplots()
    plots.race(ax, rows[rows["encoding"].isin(SHOWN)], "loss by length of the text")
    return figure, (
        "Loss by text length, three seeds each, with the exact limit. Without positions it stays "
        "far above the limit. Sinusoids come close at the training length of 24 and are far above "
        "at 48 and 96. Shaw's keys stay close at all three."
    )


def cards(units: Sequence[Unit], folder: str = "") -> str:
    """A card for each unit."""
    return f'<ul class="cards">{"".join(_card(each, folder) for each in units)}</ul>'


def _card(unit: Unit, folder: str) -> str:
    exercises = prose(", ".join(unit.titles))
    return (
        f'<li><a href="{folder}{unit.name}.html">{prose(unit.title)}</a>'
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
