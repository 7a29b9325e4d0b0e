"""The race itself: a sweep of the learning rate for each encoding and task, then what is scored."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from helpers import runtime
from helpers.encodings import Encoding
from helpers.race.card import Card, made
from helpers.race.entrant import Entrant, entrant
from helpers.race.rules import QUICK, RATES, RIVALS, SCORED, SWEEP, SWEEP_SEED, Budget
from helpers.race.runs import Job, kept

OUT = Path("build") / "race"
Runs = list[dict[str, Any]]


def race(
    encoding: str | type[Encoding],
    budget: Budget = QUICK,
    out: Path = OUT,
    workers: int | None = None,
) -> Card:
    """Train and test an encoding beside its rivals, and write its card into `out`.

    Runs that are done are kept in `out`, so that a race that was stopped goes on, and the next one
    trains no rival again. A class that has no file of its own is trained in this process, and its
    runs are not kept.

    Args:
        encoding: "FILE.py:Class", a name for `create`, or the class, which is built with d_model,
            num_heads and max_len.
        budget: how much is trained.
        out: folder of the card and of the runs.
        workers: processes beside this one; as many as there are cores if not given.

    Raises:
        EntrantError: the class cannot take part.
    """
    mine = entrant(encoding)
    entrants = [mine, *(Entrant(name, source) for name, source in RIVALS.items())]
    count = len(budget.tasks) * len(entrants) * (len(RATES) + budget.seeds)
    workers = os.cpu_count() or 1 if workers is None else workers
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as in the other processes; models are too small for more
    try:
        with _pool(workers) as pool, runtime.bar(total=count, desc="race", unit="run") as bar:
            swept = _all(_sweep(entrants, budget), out / "runs", pool, bar)
            scored = _all(_scored(entrants, budget, swept), out / "runs", pool, bar)
        card = made(mine, budget, swept, scored)
    finally:
        torch.set_num_threads(threads)
    card.save(out)
    return card


def _sweep(entrants: Sequence[Entrant], budget: Budget) -> list[Job]:
    """The runs that choose a learning rate, on a draw of each language that is not scored."""
    more = (budget.sweep_steps, budget.tokens)
    return [
        Job(each, task, SWEEP, SWEEP_SEED, lr, *more)
        for task in budget.tasks
        for each in entrants
        for lr in RATES
    ]


def _scored(entrants: Sequence[Entrant], budget: Budget, swept: Runs) -> list[Job]:
    more = (budget.steps, budget.tokens)
    return [
        Job(each, task, SCORED, seed, best_rate(swept, each.name, task), *more)
        for task in budget.tasks
        for seed in range(budget.seeds)
        for each in entrants
    ]


def best_rate(swept: Runs, encoding: str, task: str) -> float:
    """Return the learning rate of the lowest loss in the sweep; the lowest rate where none has."""
    losses = {
        run["lr"]: run["scores"][0]["loss"]
        for run in swept
        if (run["encoding"], run["task"]) == (encoding, task)
    }
    return min(losses, key=lambda lr: (losses[lr] is None, losses[lr] or 0.0, lr))


def _pool(workers: int) -> Any:
    """Return processes with a thread each; nothing if all is done in this one."""
    if not workers:
        return nullcontext()
    # Not forked: a child of a process whose threads have run may wait for them for ever.
    return ProcessPoolExecutor(workers, get_context("spawn"), _begin)


def _begin() -> None:
    """In a worker: one thread, and an end when the race has been killed."""
    torch.set_num_threads(1)
    parent = parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _all(jobs: Sequence[Job], folder: Path, pool: Executor | None, bar: tqdm) -> Runs:
    """Make all runs, those of a class without a file in this process."""
    apart = [job for job in jobs if pool and job.entrant.digest()]
    waiting = {pool.submit(kept, job, folder): job for job in apart} if pool else {}
    found = {}
    try:
        for job in (each for each in jobs if each not in apart):
            found[job] = kept(job, folder)
            bar.update()
        for done in as_completed(waiting):
            found[waiting[done]] = done.result()
            bar.update()
    finally:
        for each in waiting:
            each.cancel()
    return [found[job] for job in jobs]
