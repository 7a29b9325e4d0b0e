"""Unit 08 from end to end with the profile that a GPU runtime gets, which must fit a free one.

Runs the solution as it stands. Prints the seconds of its longest cells; writes
full_profile_DEVICE.json with the seconds of each cell, anew after each, and full_curves_DEVICE.json
with the losses, which the notebook draws beside a learner's own. Those without positions are of a
run after the last cell of the unit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import nbformat
import pandas as pd
from nbclient import NotebookClient
from nbformat import NotebookNode, v4

from benchmarks import mini_bert
from benchmarks.mini_bert import COMMAND, DEVICE, DRY
from helpers import results
from helpers.course import settings

UNIT = "08-mini-bert"
LIMIT = 600.0  # seconds on a T4
CURVES = """
import json
_, none_curve = on_grammar("none", 0, steps // 4, **training)
curves = {"learned": learned_curve, "none": none_curve}
print(json.dumps({name: [each.tolist() for each in smooth(losses)]
                  for name, losses in curves.items()}))
"""


def run(
    notebook: NotebookNode,
    folder: Path,
    profile: str = "full",
    keep: Callable[[pd.DataFrame], object] | None = None,
) -> NotebookNode:
    """Execute the notebook in `folder`, with a last cell for the losses, also without positions.

    `keep` is given the rows of `seconds` after each cell.
    """
    notebook.cells.append(v4.new_code_cell(CURVES))
    after_cell = (lambda **_: keep(seconds(notebook))) if keep else None
    return executed(notebook, folder, profile, after_cell)


def executed(
    notebook: NotebookNode,
    folder: Path,
    profile: str,
    after_cell: Callable[..., object] | None = None,
) -> NotebookNode:
    """Return the notebook with the outputs of a kernel that begins in `folder`."""
    client = NotebookClient(
        notebook,
        timeout=None,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # it warns of its local connection each time
        resources={"metadata": {"path": str(folder)}},
        on_cell_executed=after_cell,
    )
    return client.execute(env=os.environ | {"ORDER_MATTERS_PROFILE": profile})


def seconds(notebook: NotebookNode) -> pd.DataFrame:
    """Return a row for each code cell: its first line, and how long it ran."""
    rows = []
    for cell in notebook.cells:
        times = cell.metadata.get("execution", {})
        if "iopub.status.idle" in times:  # the cell is done
            begun, ended = (
                pd.Timestamp(times[key]) for key in ("iopub.execute_input", "iopub.status.idle")
            )
            line = cell.source.strip().split("\n")[0]
            rows.append({"cell": line, "seconds": (ended - begun).total_seconds()})
    return pd.DataFrame(rows)


def curves(notebook: NotebookNode) -> pd.DataFrame:
    """Return a row for each point that the last cell printed."""
    printed = json.loads(notebook.cells[-1].outputs[-1].text)
    return pd.DataFrame(
        [
            {"run": run, "step": step, "loss": round(loss, 4)}
            for run, points in printed.items()
            for step, loss in zip(*points, strict=True)
        ]
    )


def main() -> None:
    """Run, print, store."""
    path = settings.find().solutions / UNIT / f"{UNIT}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    folder = mini_bert.out()
    keep = partial(results.save, f"full_profile_{DEVICE}", command=COMMAND, folder=folder)
    notebook = run(notebook, path.parent, "dry" if DRY else "full", keep)
    cells = seconds(notebook)
    keep(cells)
    results.save(f"full_curves_{DEVICE}", curves(notebook), COMMAND, folder)
    print(cells.sort_values("seconds")[-10:].round(1).to_string(index=False))
    total = cells["seconds"].sum()
    word = "within" if total <= LIMIT else "beyond"
    print(f"{total:.0f} s in all on {DEVICE}: {word} the {LIMIT:.0f} s meant for a T4")


if __name__ == "__main__":
    main()
