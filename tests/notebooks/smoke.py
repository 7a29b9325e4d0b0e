"""Does the course run for a learner on this machine? Needs no more than what a learner installs.

`python -m tests.notebooks.smoke 00-start-here 02-sinusoidal` executes the solutions of these units
in an empty folder and says what they earn.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

SOLUTIONS = Path(__file__).parent.parent.parent / "solutions"
FINDINGS = "application/vnd.order-matters.findings+json"


def executed(unit: str) -> nbformat.NotebookNode:
    """The unit's solution, run from top to bottom.

    Raises:
        CellExecutionError: a cell fails.
    """
    notebook = nbformat.read(SOLUTIONS / unit / f"{unit}.ipynb", as_version=4)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        client = NotebookClient(
            notebook,
            timeout=600,
            kernel_name="python3",
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": folder}},
        )
        client.execute(env=os.environ | {"ORDER_MATTERS_PROFILE": "quick"})
    return notebook


def findings(notebook: nbformat.NotebookNode) -> Iterator[dict[str, Any]]:
    """What the checks of an executed notebook found, part by part."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            yield from output.get("data", {}).get(FINDINGS, {}).get("findings", [])


def lost(unit: str) -> list[str]:
    """Run a unit and print what it earned; a line for each part that lost points."""
    start = time.perf_counter()
    found = list(findings(executed(unit)))
    earned, most = (sum(each[key] for each in found) for key in ("earned", "points"))
    print(f"{unit}: {earned:g} of {most:g} points in {time.perf_counter() - start:.0f} s")
    wrong = [
        f"{each['part']}: {each['message']}" for each in found if each["earned"] < each["points"]
    ]
    return wrong if found else ["no check has said anything"]


def main(units: list[str]) -> int:
    """Run these units, or the first one; 0 where all points are earned."""
    wrong = [f"{unit}: {each}" for unit in units or ["00-start-here"] for each in lost(unit)]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
