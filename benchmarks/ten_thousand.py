"""How long a large class takes, by the number of workers: `python -m benchmarks.ten_thousand [N]`.

What a worker does with a notebook is measured first: every kind of submission of a unit is graded
once, alone. Then a class hands in these, each with lines of its learner's, and `course grade` runs
on a Dask cluster whose workers sleep as long as the real work took and return what came of it. So
intake, gradebook, files and report are real, and two cores stand for a cluster of 64. Prints and
stores, for each number of workers, notebooks per second and what each notebook costs the one
process with the gradebook.
"""

from __future__ import annotations

import argparse
import copy
import multiprocessing
import pickle
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest import mock

import nbformat
import numpy as np
import pandas as pd
from nbformat import NotebookNode

from benchmarks import grading as small
from helpers import recorded
from helpers.course.authoring import build
from helpers.course.grading import grade, judge, marking, work
from helpers.course.grading.marking import Graded
from helpers.course.grading.work import Kit, Task
from helpers.course.pages import report
from helpers.course.sandbox import bubblewrap, pool

WORKERS = (1, 8, 32, 64)
KINDS = 12  # of submissions, spread over all that there are
EACH = 2 * KINDS  # notebooks for each worker, so that one alone does not take all day
KIND = re.compile(rb"# learner \d+, kind (\d+)")
ALL = 10_000


def measured(folder: Path, isolated: bool) -> tuple[list[NotebookNode], list[Graded]]:
    """Every kind of submission, and what a worker made of it; `total` is all that it took."""
    built = build.make(small.COURSE, small.UNIT, folder)
    kit = Kit.of(small.COURSE, small.UNIT, built.released, folder).packed()
    tests = judge.tests(small.UNIT, built.instructor)
    everybody = small.people(built)
    kinds, made = everybody[:: -(-len(everybody) // KINDS)], []
    for notebook in [kinds[0], *kinds]:  # the first one warms a sandbox
        content = nbformat.writes(notebook).encode()
        start = time.perf_counter()
        made.append(work.work(Task("somebody", content, kit, tests, grade.LIMITS, isolated)))
        made[-1].total = time.perf_counter() - start
    pool.close()
    return kinds, made[1:]


def hand_in(kinds: Sequence[NotebookNode], number: int, folder: Path) -> Path:
    """A class in nbgrader's tree; no answer is word for word another learner's."""
    for learner in range(number):
        kind = learner % len(kinds)
        notebook = copy.deepcopy(kinds[kind])
        for cell in notebook.cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                cell.source += f"\n# learner {learner}, kind {kind}"
        path = folder / f"s{learner:05}" / small.UNIT / f"{small.UNIT}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    return folder


def slept(store: Path, task: Task) -> Graded:
    """What came of this kind of submission, after as long as it took."""
    found = KIND.search(task.content)
    assert found
    graded = _stored(store)[int(found[1])]
    time.sleep(graded.total)
    return graded


@lru_cache
def _stored(store: Path) -> list[Graded]:
    made: list[Graded] = pickle.loads(store.read_bytes())
    return made


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """The address of a Dask cluster in a process of its own; its workers are threads."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(workers, theirs), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def _serve(workers: int, pipe: Connection) -> None:
    from distributed import LocalCluster

    options: dict[str, Any] = {"processes": False, "protocol": "tcp://", "dashboard_address": ""}
    with LocalCluster(n_workers=1, threads_per_worker=workers, **options) as made:
        pipe.send(made.scheduler_address)
        pipe.recv()  # until it is terminated


def class_of(
    number: int, workers: int, submissions: Path, store: Path, out: Path
) -> dict[str, Any]:
    """One run of `course grade` on the class, and its report."""
    halves: list[tuple[int, float]] = []  # notebooks of each batch, seconds of this process's CPU
    real = marking.enter

    def enter(*arguments: Any) -> list[dict[str, Any]]:
        start = time.process_time()
        rows = real(*arguments)
        halves.append((len(rows), time.process_time() - start))
        return rows

    with (
        cluster(workers) as address,
        mock.patch.object(work, "work", partial(slept, store)),
        mock.patch.object(marking, "enter", enter),
    ):
        start, busy = time.perf_counter(), time.process_time()
        table = grade.grade(small.COURSE, submissions, out, scheduler=address, isolated=False)
        seconds, busy = time.perf_counter() - start, time.process_time() - busy
    assert table.status.str.startswith("graded").all(), table.status.value_counts()
    start = time.perf_counter()
    report.write(small.COURSE, out)
    counts, costs = np.array(halves).T
    first = np.cumsum(counts) <= number / 2
    return {
        "workers": workers,
        "notebooks": number,
        "seconds": seconds,
        "per second": number / seconds,
        "grader's CPU, ms each": 1000 * busy / number,
        "entering, ms each, first half": 1000 * costs[first].sum() / counts[first].sum(),
        "entering, ms each, second half": 1000 * costs[~first].sum() / counts[~first].sum(),
        "batch": counts.mean(),
        "report, ms each": 1000 * (time.perf_counter() - start) / number,
    }


def study(most: int, workers: Sequence[int], folder: Path) -> pd.DataFrame:
    """A row for each number of workers, on a class of `most` at the most."""
    isolated = not bubblewrap.available()
    kinds, made = measured(folder / "made", isolated)
    store = folder / "graded.pickle"
    store.write_bytes(pickle.dumps(made))
    rows = []
    for each in workers:
        number = min(most, EACH * each)
        submissions = hand_in(kinds, number, folder / f"in-{each}")
        row = class_of(number, each, submissions, store, folder / f"out-{each}")
        row["one notebook, s"] = np.mean([graded.total for graded in made])
        row["of the workers' pace"] = row["per second"] * row["one notebook, s"] / each
        row["minutes for 10,000"] = ALL / row["per second"] / 60
        print(pd.DataFrame([row]).round(2).to_string(index=False))
        rows.append(row)
    return pd.DataFrame(rows)


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("most", type=int, nargs="?", default=2_000, help="notebooks at the most")
    parser.add_argument("--workers", type=int, nargs="*", default=WORKERS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        rows = study(options.most, options.workers, Path(name))
    recorded.save("ten_thousand", rows, f"python -m benchmarks.ten_thousand {options.most}")
    print(rows.round(2).to_string(index=False))


if __name__ == "__main__":
    from benchmarks import ten_thousand  # by this name the workers find `slept`

    ten_thousand.main()
