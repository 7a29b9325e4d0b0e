"""What each prediction came to: the texts below it are written for this outcome.

Where an outcome has changed, read the text that follows in the lesson before outcomes.toml is.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from tests.common import ROOT, UNITS

OUTCOMES = tomllib.loads(Path(__file__).with_name("outcomes.toml").read_text(encoding="utf-8"))
ASKED = re.compile(r'^outcome\("(\w+)"', re.MULTILINE)
MEASURED = re.compile(r"Measured: ([a-z])\)")  # where a number was asked, it differs by run


def _outcomes(unit: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the outcome of each prediction, as the solution shows it."""
    notebook = nbformat.read(ROOT / "solutions" / unit / f"{unit}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code" and (asked := ASKED.search(cell.source)):
            [shown] = [each for each in cell.outputs if each.output_type == "execute_result"]
            if found := MEASURED.match(shown.data["text/plain"]):
                yield asked[1], found[1]


@pytest.mark.parametrize("unit", UNITS)
def test_predictions_come_out_as_the_text_says(unit: str) -> None:
    assert dict(_outcomes(unit)) == OUTCOMES.get(unit, {})
