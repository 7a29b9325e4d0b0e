"""OUT/similar.html: answers that are alike, side by side, for a person to read."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from helpers.course.grading import similarity
from helpers.course.grading.similarity import Pair
from helpers.course.pages.page import page, save


def write(out: Path, graded: pd.DataFrame) -> list[Pair]:
    """Write the page on the rows in `graded`, and return the pairs on it."""
    found = [
        pair
        for unit, rows in graded.groupby("unit")
        for pair in similarity.pairs(out, str(unit), sorted(rows.student))
    ]
    text = page("similar.html.j2", pairs=found, alike=similarity.ALIKE, zip=zip)
    save(out / "similar.html", text)
    return found
