"""OUT/similar.html: answers that are alike, side by side, for a person to read."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from helpers.course.grading import similarity
from helpers.course.grading.similarity import Pair
from helpers.course.pages import rendering
from helpers.course.pages.page import page


def write(out: Path, graded: pd.DataFrame) -> list[Pair]:
    """Write the page on the rows in `graded`; the pairs on it."""
    found = [
        pair
        for unit, rows in graded.groupby("unit")
        for pair in similarity.pairs(out, str(unit), sorted(rows.student))
    ]
    text = page(
        "similar.html.j2", pairs=found, alike=similarity.ALIKE, code=rendering.code, zip=zip
    )
    fresh = out / "similar.html.new"
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(out / "similar.html")
    return found
