"""Sweeps: jobs whose rows become a recorded result; a stopped sweep goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from helpers import results
from helpers.corpora import Task
from helpers.corpora.inputs import MlmBatch, places_loss
from helpers.encodings import Encoding, create
from helpers.model.bert import Bert, Pretraining, Size
from helpers.runtime import seed_everything
from helpers.training.experiments import HEADS, WIDTH, run, run_together
from helpers.training.jobs import SEEDS, Job, code_digest, run_jobs
from helpers.training.together import train_together

__all__ = ["DEVICE", "SEEDS", "Job", "at_once", "pretrained", "small", "sweep"]

ROOT = Path(__file__).parent.parent
DONE = ROOT / "build" / "sweeps"  # not committed
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"  # of what `at_once` trains


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


def at_once(label: str, work: Callable[[Sequence[int]], pd.DataFrame]) -> Job:
    """A job whose `work(seeds)` gets all its seeds on a GPU, and elsewhere one in each process."""
    return Job(label, partial(_one, work), together=work)


def _one(work: Callable[[Sequence[int]], pd.DataFrame], seed: int) -> pd.DataFrame:
    return work([seed])


def pretrained(
    encoding: str | Callable[[], Encoding],
    texts: Callable[[int], Callable[[], MlmBatch]],
    seeds: Sequence[int],
    size: Size,
    steps: int,
    **options: Any,
) -> list[Pretraining]:
    """Train a mini BERT for each seed, several as one batch of models; return them, on `DEVICE`.

    Args:
        encoding: a name for `create`, or a function that builds one of the size's D and H.
        texts: seed → a function that gives batches, as `grammar_batches` and `text_batches` do.
        options: for `train`.
    """
    models = []
    for seed in seeds:
        seed_everything(seed)  # an encoding may draw vectors of its own
        built = encoding if isinstance(encoding, str) else encoding()
        seed_everything(seed)
        models.append(Pretraining(Bert(size, built)).to(DEVICE))
    train_together(models, [texts(seed) for seed in seeds], steps, places_loss, **options)
    return models


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
    torch.set_num_threads(1)  # as in each run; the record says so
    os.environ["TQDM_DISABLE"] = "1"  # a bar for each run would bury that of the sweep
    rows = run_jobs(jobs, DONE / f"{name}-{code_now()}", desc=name)
    results.save(name, rows, "make study")
    numbers = rows.select_dtypes("number").columns.difference([*by, "seed", "steps"], sort=False)
    means = rows.groupby(list(by), sort=False)[list(numbers)].agg(["mean", "std"]).round(3)
    print(means.to_string())
    return rows


def code_now() -> str:
    """Return a digest of the study that runs and of all that trains."""
    study = getattr(sys.modules["__main__"], "__file__", None) or __file__
    return code_digest(Path(__file__), Path(study))
