"""The race itself: a sweep of the learning rate for each encoding and task, then what is scored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd
import torch

from helpers import runtime
from helpers.encodings import Encoding
from helpers.race.card import Card, make_card
from helpers.race.entrant import Entrant, entrant
from helpers.race.rules import QUICK, RATES, RIVALS, SCORED, SWEEP, SWEEP_SEED, Budget
from helpers.race.runs import run
from helpers.training.jobs import Job, code_digest, run_jobs

OUT = Path("build") / "race"
CODE = [Path(__file__).with_name(f"{name}.py") for name in ("english", "entrant", "rules", "runs")]
Rates = Mapping[Entrant, Sequence[tuple[str, float]]]  # tasks, and learning rates on them


def race(encoding: str | type[Encoding], budget: Budget = QUICK, out: Path = OUT) -> Card:
    """Train and test an encoding beside its rivals, and write its card into `out`.

    Runs that are done are kept in `out`, so that a race that was stopped goes on, and the next one
    trains no rival again. Those of a class that has no file of its own are not kept.

    Args:
        encoding: "FILE.py:Class", a name for `create`, or the class, which is built with d_model,
            num_heads and max_len.
        budget: how much is trained.
        out: folder of the card and of the runs.

    Raises:
        EntrantError: the class cannot take part.
    """
    mine = entrant(encoding)
    rivals = [Entrant(name, source) for name, source in RIVALS.items()]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as in the other processes; models are too small for more
    try:
        swept, scored = run_all([mine, *rivals], budget, out)
        card = make_card(mine, budget, swept, scored)
    finally:
        torch.set_num_threads(threads)
    card.save(out)
    return card


def run_all(
    entrants: Sequence[Entrant], budget: Budget, out: Path
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of all runs: those of the sweep, and those that are scored."""
    tried = [(task, lr) for task in budget.tasks for lr in RATES]
    swept = _rows(dict.fromkeys(entrants, tried), SWEEP, [SWEEP_SEED], budget, out)
    best = {
        each: [(task, best_rate(swept, each.name, task)) for task in budget.tasks]
        for each in entrants
    }
    return swept, _rows(best, SCORED, range(budget.seeds), budget, out)


def best_rate(swept: pd.DataFrame, encoding: str, task: str) -> float:
    """Return the learning rate of the lowest loss in the sweep; the lowest rate where none has."""
    rows = swept[swept[["encoding", "task", "kind"]].eq([encoding, task, "all"]).all(axis=1)]
    return float(rows.set_index("lr")["loss"].fillna(math.inf).idxmin())


def _rows(rates: Rates, draw: int, seeds: Sequence[int], budget: Budget, out: Path) -> pd.DataFrame:
    """Return the rows of all runs; a class without a file no other process can have."""
    kept, here = list[Job](), list[Job]()
    for each, pairs in rates.items():
        for task, lr in pairs:
            label = "-".join(map(str, (each.name, each.code, task, draw, lr, budget.name)))
            work = partial(run, each, task, draw, lr, budget)
            (kept if isinstance(each.source, str) else here).append(Job(label, work, seeds))
    name = "learning rates" if draw == SWEEP else "race"
    dry = "-dry" if runtime.profile() == "dry" else ""
    folder = out / "runs" / f"{code_digest(*CODE)}{dry}"
    rows = [run_jobs(kept, folder, name)] if kept else []
    for job in runtime.bar(here, desc=f"{name}, yours", disable=not here):
        rows += map(job.work, seeds)
    return pd.concat(rows, ignore_index=True)
