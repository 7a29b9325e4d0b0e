"""Runs that train one small encoder each, and end in one tidy table."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping

import pandas as pd
from torch import Generator

from helpers import runtime
from helpers.corpora import Task
from helpers.encodings import Encoding, create
from helpers.model.encoder import Encoder
from helpers.training import evaluate, train

WIDTH, HEADS, LAYERS, BATCH = 48, 4, 2, 64
TESTS, DRY_TESTS = 2000, 20  # sequences; the fewer where only whether a notebook runs is asked

Build = Callable[[], Encoding]


def run(
    task: Task,
    encoding: str | Build,
    seed: int,
    steps: int = 500,
    lengths: Iterable[int] = (24,),
    label: str | None = None,
    shortest: int | None = None,
    also: Mapping[str, Build] | None = None,
) -> pd.DataFrame:
    """Train a two-layer encoder on `task` and evaluate it.

    Args:
        task: a language or task of `helpers.corpora`.
        encoding: a name for `create`, or a function that builds one of width 48 with 4 heads.
        seed: of the weights and of the training text; the evaluation text is always the same.
        steps: batches of 64 sequences.
        lengths: lengths to evaluate at, in tokens; the first is the one trained at.
        label: how the table and the progress bar call it.
        shortest: train on all lengths from this one to the first of `lengths`, one per batch.
        also: label → encoding; the same trained weights are evaluated once more with each.

    Returns:
        One row a length and label: encoding, seed, steps, length, loss and limit (nats per scored
        token), and accuracy.
    """
    lengths = tuple(lengths)
    name = label or (encoding if isinstance(encoding, str) else "yours")
    runtime.seed_everything(seed)
    if isinstance(encoding, str):
        built = create(encoding, d_model=WIDTH, num_heads=HEADS, max_len=max(lengths))
    else:
        built = encoding()
    model = Encoder(built, task.vocab_size, LAYERS)
    text = Generator().manual_seed(seed)
    count = DRY_TESTS if runtime.profile() == "dry" else TESTS
    tests = {n: task.batch(count, n, Generator().manual_seed(10_000 + n)) for n in lengths}
    limits = {n: task.limit(test) for n, test in tests.items()}
    low = shortest or lengths[0]
    spread = iter(_lengths(low, lengths[0], steps, seed))
    train(
        model,
        lambda: task.batch(BATCH, next(spread), text),
        steps,
        limit=limits[lengths[0]],
        label=name,
    )
    models = {name: model}
    for other, build in (also or {}).items():
        models[other] = Encoder(build(), task.vocab_size, LAYERS)
        models[other].load_state_dict(model.state_dict())
    rows = []
    for kind, each in models.items():
        for n, test in tests.items():
            score = evaluate(each, test)
            row = {"encoding": kind, "seed": seed, "steps": steps, "length": n}
            rows.append(row | {"loss": score.loss, "limit": limits[n], "accuracy": score.accuracy})
    return pd.DataFrame(rows)


def _lengths(low: int, high: int, steps: int, seed: int) -> list[int]:
    """Length of each batch, uniform between the two, both included."""
    draw = random.Random(seed)
    return [draw.randint(low, high) for _ in range(steps)]


def race(
    task: Task,
    encodings: Iterable[str],
    seeds: Iterable[int],
    steps: int = 500,
    lengths: Iterable[int] = (24,),
) -> pd.DataFrame:
    """`run` for every encoding and seed, in one table."""
    lengths = tuple(lengths)
    seeds = tuple(seeds)
    runs = [run(task, name, seed, steps, lengths) for name in encodings for seed in seeds]
    return pd.concat(runs, ignore_index=True)
