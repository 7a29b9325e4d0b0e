"""Many runs side by side, one thread each; what is done is kept, so stopped jobs go on.

They go on only where the code is the same: a run that other code has made is made again.
"""

from __future__ import annotations

import hashlib
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import torch

from helpers import runtime

HELPERS = Path(__file__).parent.parent
NO_TRAINING = {
    *("checks", "claims", "course", "explorable", "pictures", "plots", "race"),
    *("widgets.py", "book.py", "predict.py"),
}
SEEDS = (0, 1, 2)


class Job(NamedTuple):
    """Says what is done for each seed: `work(seed)` gives rows. No other job has its label.

    `together(seeds)` gives the same rows for all seeds, which a GPU trains at once.
    """

    label: str
    work: Callable[[int], pd.DataFrame]
    seeds: Sequence[int] = SEEDS
    together: Callable[[Sequence[int]], pd.DataFrame] | None = None


def run_jobs(jobs: Sequence[Job], folder: Path, desc: str) -> pd.DataFrame:
    """Do every job with each of its seeds, and return all rows, in the order of the jobs.

    Args:
        folder: where each run is kept; what stands there already is not made again.
        desc: what the progress bar is called.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if torch.cuda.is_available():
        for job in jobs:
            seeds = [seed for seed in job.seeds if not _path(folder, job, seed).exists()]
            if job.together and seeds:
                for seed, rows in job.together(seeds).groupby("seed"):
                    _write(_path(folder, job, int(str(seed))), rows)
    paths = {_path(folder, job, seed): (job, seed) for job in jobs for seed in job.seeds}
    missing = {path: each for path, each in paths.items() if not path.exists()}
    # Not forked: a child of a process whose threads have run may wait for them for ever.
    pool = ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), _end_with_parent)
    options = {"desc": desc, "total": len(paths), "initial": len(paths) - len(missing)}
    try:
        waiting = [pool.submit(_keep, path, *each) for path, each in missing.items()]
        for done in runtime.bar(as_completed(waiting), unit="run", disable=False, **options):
            done.result()
    finally:
        pool.shutdown(cancel_futures=True)
    return pd.concat(map(_read, paths), ignore_index=True)


def code_digest(*more: Path) -> str:
    """Return what tells the code that trains, and the files `more`, from other code."""
    paths = set(more)
    for each in HELPERS.iterdir():
        if each.name not in NO_TRAINING:
            paths |= set(each.rglob("*.py") if each.is_dir() else [each])
    texts = [path.read_bytes() for path in sorted(paths) if path.suffix == ".py"]
    return hashlib.sha256(b"".join([torch.__version__.encode(), *texts])).hexdigest()[:8]


def _path(folder: Path, job: Job, seed: int) -> Path:
    return folder / f"{job.label.replace(' ', '-').replace('/', '-')}-{seed}.csv"


def _keep(path: Path, job: Job, seed: int) -> None:
    torch.set_num_threads(1)
    _write(path, job.work(seed))


def _write(path: Path, rows: pd.DataFrame) -> None:
    part = path.with_suffix(".part")  # a file that stands there is whole
    rows.to_csv(part, index=False)
    part.rename(path)


def _read(path: Path) -> pd.DataFrame:
    """Return rows as they were written, where an encoding may be called NA or inf."""
    return pd.read_csv(path, dtype={"encoding": str}, keep_default_na=False, na_values=[""])


def _end_with_parent() -> None:
    """In a worker: end at Ctrl-C without a word, and when the parent has been killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
