"""Many runs side by side, one thread each; what is done is kept, so a stopped sweep goes on.

It goes on only where the code is the same: a run that other code has made is made again.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import torch
from tqdm import tqdm

from helpers import results
from helpers.corpora import Task
from helpers.encodings import create
from helpers.training.experiments import HEADS, WIDTH, run, run_together

ROOT = Path(__file__).parent.parent
DONE = ROOT / "build" / "sweeps"  # not committed
NO_TRAINING = {"checks", "claims", "course", "plots.py", "widgets.py", "book.py"}  # of helpers
SEEDS = (0, 1, 2)


class Job(NamedTuple):
    """What is done for each seed: `work(seed)` gives rows, one of their columns the label.

    `together(seeds)` gives the same rows for all seeds, which a GPU trains at once.
    """

    label: str
    work: Callable[[int], pd.DataFrame]
    seeds: Sequence[int] = SEEDS
    together: Callable[[Sequence[int]], pd.DataFrame] | None = None


def small(
    label: str, task: Task, encoding: tuple[str, dict[str, Any]], options: dict[str, Any]
) -> Job:
    """A small encoder on one task.

    Args:
        label: how the table calls it.
        task: what it is trained on.
        encoding: name and options for `create`.
        options: for `run`: steps, lengths and so on.
    """
    name, own = encoding
    sizes = {"d_model": WIDTH, "num_heads": HEADS, "max_len": max(options["lengths"])} | own
    given = {"task": task, "encoding": partial(create, name, **sizes), "label": label} | options
    # Seeds whose texts differ in length from step to step cannot be trained at once.
    together = None if "shortest" in options else partial(_together, given)
    return Job(label, partial(_alone, given), together=together)


def _alone(given: dict[str, Any], seed: int) -> pd.DataFrame:
    return run(seed=seed, **given)


def _together(given: dict[str, Any], seeds: Sequence[int]) -> pd.DataFrame:
    return run_together(seeds=seeds, **given)


def sweep(
    name: str, jobs: Sequence[Job], by: Sequence[str] = ("encoding", "length")
) -> pd.DataFrame:
    """Run every job on each of its seeds, store all rows as recorded result `name`, print means.

    Args:
        by: columns of which each combination gets a line of means and spreads.
    """
    todo = [(job, seed) for job in jobs for seed in job.seeds]
    torch.set_num_threads(1)  # as in each run; the record says so
    folder = DONE / f"{name}-{code_now()}"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["TQDM_DISABLE"] = "1"  # a bar for each run would bury the one below
    if torch.cuda.is_available():
        for job in jobs:
            if job.together and not all(_path(folder, job, seed).exists() for seed in job.seeds):
                for seed, rows in job.together(job.seeds).groupby("seed"):
                    _keep(_path(folder, job, int(str(seed))), rows)
    # Not forked: a child of a process whose threads have run may wait for them for ever.
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), _end_with_parent) as pool:
        waiting = [pool.submit(_one, folder, job, seed) for job, seed in todo]
        for done in tqdm(
            as_completed(waiting), desc=name, total=len(todo), unit="run", disable=False
        ):
            done.result()
    rows = pd.concat([pd.read_csv(_path(folder, *each)) for each in todo], ignore_index=True)
    results.save(name, rows, "make study")
    numbers = rows.select_dtypes("number").columns.difference([*by, "seed", "steps"], sort=False)
    means = rows.groupby(list(by), sort=False)[list(numbers)].agg(["mean", "std"]).round(3)
    print(means.to_string())
    return rows


def code_now() -> str:
    """A digest of the study that runs and of all that trains."""
    study = getattr(sys.modules["__main__"], "__file__", None) or __file__
    paths = {Path(__file__), Path(study)}
    for each in (ROOT / "helpers").iterdir():
        if each.name not in NO_TRAINING:
            paths |= set(each.rglob("*.py") if each.is_dir() else [each])
    texts = [path.read_bytes() for path in sorted(paths) if path.suffix == ".py"]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:8]


def _end_with_parent() -> None:
    """In a worker: do not go on for minutes when the sweep has been killed."""
    parent = parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _path(folder: Path, job: Job, seed: int) -> Path:
    return folder / f"{job.label.replace(' ', '-').replace('/', '-')}-{seed}.csv"


def _one(folder: Path, job: Job, seed: int) -> None:
    path = _path(folder, job, seed)
    if path.exists():
        return
    torch.set_num_threads(1)
    _keep(path, job.work(seed))


def _keep(path: Path, rows: pd.DataFrame) -> None:
    part = path.with_suffix(".part")
    rows.to_csv(part, index=False)
    part.rename(path)
