"""A run: one small encoder, trained on a task and tested at all lengths."""

from __future__ import annotations

import time
from functools import cache, partial

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import Generator, Tensor

from helpers.corpora import Grammar, MaskedBatch, Task
from helpers.model.encoder import Encoder
from helpers.race.entrant import Entrant
from helpers.race.rules import SWEEP, TASKS, TIMES, Budget, draw_task
from helpers.training import DivergedError, masked_loss
from helpers.training.experiments import BATCH, Build, fit
from helpers.training.pretraining import limits_by_kind

MEASURED, REFUSED, NO_NUMBER = "measured", "refused", "no number"  # outcomes
NOTHING = "nothing"  # was refused


def run(
    entrant: Entrant, task_name: str, draw: int, lr: float, budget: Budget, seed: int
) -> pd.DataFrame:
    """Train and test, a run of the sweep at the first length only.

    The text of the training and that of the tests follow from the seed, the same for all encodings.

    Returns:
        A row for each length and kind of place: loss and exact limit in nats, and `outcome`, which
        says why there is no loss. In each of them encoding, task, draw, seed, lr; the `seconds` of
        processor time in the training; and `refused`, what the encoding would not read.
    """
    lengths = TASKS[task_name]
    build = partial(entrant.build, lengths[-1])
    outcome, task = MEASURED, draw_task(task_name, draw)
    if refused := _refusal(build, task, lengths[0]):
        task = draw_task(task_name, draw, told=False)  # so RoPE reads a tree's words alone
        outcome = REFUSED if _refusal(build, task, lengths[0]) else MEASURED
    steps = budget.sweep_steps if draw == SWEEP else budget.steps
    begun = time.process_time()
    if outcome == MEASURED:
        try:
            model = fit(task, build, seed, steps, lengths[0], label="", lr=lr)
        except DivergedError:
            outcome = NO_NUMBER
    seconds = time.process_time() - begun
    tables = []
    for times, length in zip(TIMES, lengths[:1] if draw == SWEEP else lengths, strict=False):
        batches, places = _test(task_name, draw, not refused, seed, length, budget.tests)
        how, losses = outcome, np.full(len(places), np.nan)
        if outcome == MEASURED:
            how, losses = _losses(model, batches)
        places = places.assign(loss=losses)
        both = pd.concat([places.assign(kind="all"), places[places["kind"] != "all"]])
        means = both.groupby("kind", sort=False)[["loss", "limit"]].mean().reset_index()
        tables.append(means.assign(times=times, length=length, outcome=how))
    names = {"encoding": entrant.name, "task": task_name, "draw": draw, "seed": seed, "lr": lr}
    more = {"seconds": seconds, "refused": refused or NOTHING}
    return pd.concat(tables, ignore_index=True).assign(**names, **more)


def _refusal(build: Build, task: Task, length: int) -> str:
    """Return why the encoding cannot read what the task tells; empty if it can."""
    batch = task.batch(BATCH, length, Generator().manual_seed(0))
    try:
        with torch.no_grad():
            masked_loss(Encoder(build(), task.vocab_size, 1), batch)
    except Exception as error:  # an own class may break in any way on what it does not know
        return f"{type(error).__name__}: {error}"
    return ""


@cache  # for the other encodings
def _test(
    name: str, draw: int, told: bool, seed: int, length: int, tests: int
) -> tuple[list[MaskedBatch], pd.DataFrame]:
    """Return the text of a test, and each scored place's kind and limit in nats: kind, limit.

    Of most tasks a batch has one limit for all places; they are of the kind "all".
    """
    task = draw_task(name, draw, told, test=True)
    text = Generator().manual_seed(10_000 * (1 + seed) + length)
    batches = [task.batch(BATCH, length, text) for _ in range(tests)]
    places = []
    for each in batches:
        if isinstance(task, Grammar):
            places.append(limits_by_kind(task, each))
        else:
            scored, limit = range(int(each.selected.sum())), task.bayes_loss(each)
            places.append(pd.DataFrame({"kind": "all", "limit": limit}, index=scored))
    return batches, pd.concat(places, ignore_index=True)


@torch.no_grad()
def _losses(model: Encoder, batches: list[MaskedBatch]) -> tuple[str, np.ndarray]:
    """Return the outcome, and the loss at each scored place, (n,), in nats; NaN where none is."""
    model.eval()
    found: list[Tensor] = []
    try:
        for batch in batches:
            logits = model(batch.inputs, **batch.given)[batch.selected].double()
            found.append(F.cross_entropy(logits, batch.targets[batch.selected], reduction="none"))
        losses = torch.cat(found).numpy()
        outcome = MEASURED if np.isfinite(losses).all() else NO_NUMBER
    except Exception:  # the text is too long for it, and an own class may break in any way
        outcome = REFUSED
    if outcome != MEASURED:  # a mean would leave out the places that are NaN
        losses = np.full(sum(int(each.selected.sum()) for each in batches), np.nan)
    return outcome, losses
