"""What a class of 10,000 takes, measured with real notebooks on real workers.

`course grade` runs on a small and on a larger class of unit 02, with one and with two worker
processes of a Dask cluster on this machine. The difference is what one more notebook costs: seconds
by the clock, and CPU of the one process with the gradebook, which more workers do not speed up.
Prints and stores what that means for 10,000 notebooks: hours on this machine, and the pace at which
the gradebook's process would be busy all the time, however many workers there are.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from distributed import LocalCluster
from nbformat import NotebookNode

from benchmarks import grading as small
from helpers import results
from helpers.course.authoring import build
from helpers.course.grading import grade
from helpers.course.sandbox import bubblewrap

WORKERS = (1, 2)
FEW, MORE = 8, 40  # notebooks of the two classes
ALL = 10_000


def timed(notebooks: list[NotebookNode], number: int, address: str, folder: Path) -> pd.Series:
    """Return seconds by the clock and of this process's CPU that a class of `number` takes."""
    submissions = small.hand_in(notebooks, number, folder / "in")
    isolated = not bubblewrap.available()
    begun = pd.Series({"seconds": time.perf_counter(), "CPU": time.process_time()})
    out = folder / "out"
    table = grade.grade(small.COURSE, submissions, out, scheduler=address, isolated=isolated)
    took = pd.Series({"seconds": time.perf_counter(), "CPU": time.process_time()}) - begun
    assert (table.status == "graded").all(), table.status.value_counts()
    return took


def study(few: int, more: int, workers: Sequence[int], folder: Path) -> pd.DataFrame:
    """Return a row for each number of workers."""
    notebooks = small.people(build.make(small.COURSE, small.UNIT, folder / "made"))
    rows: list[dict[str, Any]] = []
    for count in workers:
        with LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address="") as cluster:
            first, second = (
                timed(notebooks, number, cluster.scheduler_address, folder / f"{count}-{number}")
                for number in (few, more)
            )
        each = (second - first) / (more - few)
        rows.append(
            {
                "workers": count,
                "notebooks": more,
                "seconds, one more": each.seconds,
                "gradebook's CPU, ms, one more": 1000 * each.CPU,
                "hours for 10,000 here": ALL * each.seconds / 3600,
                "minutes for 10,000, at the least": ALL * each.CPU / 60,
            }
        )
    return pd.DataFrame(rows)


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("more", type=int, nargs="?", default=MORE, help="notebooks of a class")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        rows = study(FEW, options.more, WORKERS, Path(name))
    results.save("ten_thousand", rows, "python -m benchmarks.ten_thousand")
    print(rows.round(2).to_string(index=False))


if __name__ == "__main__":
    main()
