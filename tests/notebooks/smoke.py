"""Does the course run for a learner on this machine? Needs no more than what a learner installs.

`python -m tests.notebooks.smoke 00-start-here 02-sinusoidal` executes the solutions of these units
in an empty folder and says what they earn.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

SOLUTIONS = Path(__file__).parent.parent.parent / "solutions"
FINDINGS = "application/vnd.order-matters.findings+json"


def lost(unit: str, notebook: nbformat.NotebookNode, profile: str, **options: Any) -> list[str]:
    """Run a solution and print what it earned; a line for each part that lost points.

    Raises:
        CellExecutionError: a cell fails.
    """
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=600, resources=resources, **options)
        client.execute(env=os.environ | {"ORDER_MATTERS_PROFILE": profile})
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    reports = [output.data[FINDINGS] for output in outputs if FINDINGS in output.get("data", {})]
    found = [each for report in reports for each in report["findings"]]
    earned, most = (sum(each[key] for each in found) for key in ("earned", "points"))
    print(f"{unit}: {earned:g} of {most:g} points in {time.perf_counter() - start:.0f} s")
    wrong = [each for each in found if each["earned"] < each["points"]]
    lines = [f"{unit}: {each['part']}: {each['message']}" for each in wrong]
    return lines if found else [f"{unit}: no check has said anything"]


def main(units: list[str]) -> int:
    """Run these units, or the first one; 0 where all points are earned."""
    options = {"kernel_name": "python3", "extra_arguments": ["--log-level=ERROR"]}
    wrong = []
    for unit in units or ["00-start-here"]:
        notebook = nbformat.read(SOLUTIONS / unit / f"{unit}.ipynb", as_version=4)
        wrong += lost(unit, notebook, "quick", **options)
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
