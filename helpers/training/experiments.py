"""Runs that train one small encoder each, and end in one tidy table."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import pandas as pd
from torch import Generator

from helpers import runtime
from helpers.corpora import Task
from helpers.encodings import Encoding, create
from helpers.model.encoder import Encoder
from helpers.training import evaluate, train

WIDTH, HEADS, LAYERS, BATCH = 48, 4, 2, 64
TESTS, DRY_TESTS = 2000, 20  # sequences; the fewer where only whether a notebook runs is asked

Build = Callable[[], Encoding | Sequence[Encoding]]  # several: layers have them by turns


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
    if isinstance(encoding, str):
        encoding = partial(create, encoding, d_model=WIDTH, num_heads=HEADS, max_len=max(lengths))
    count = DRY_TESTS if runtime.profile() == "dry" else TESTS
    tests = {n: task.batch(count, n, Generator().manual_seed(10_000 + n)) for n in lengths}
    limits = {n: task.bayes_loss(test) for n, test in tests.items()}
    model = fit(task, encoding, seed, steps, lengths[0], name, shortest, limits[lengths[0]])
    models = {name: model}
    for other, build in (also or {}).items():
        models[other] = with_encoding(model, build)
    rows = []
    for kind, each in models.items():
        for n, test in tests.items():
            score = evaluate(each, test)
            row = {"encoding": kind, "seed": seed, "steps": steps, "length": n}
            rows.append(row | {"loss": score.loss, "limit": limits[n], "accuracy": score.accuracy})
    return pd.DataFrame(rows)


def fit(
    task: Task,
    encoding: Build,
    seed: int,
    steps: int,
    length: int,
    label: str = "yours",
    shortest: int | None = None,
    bayes_loss: float | None = None,
) -> Encoder:
    """A two-layer encoder, trained on `task` at `length` tokens; arguments as in `run`."""
    runtime.seed_everything(seed)
    model = Encoder(encoding(), task.vocab_size, LAYERS)
    text = Generator().manual_seed(seed)
    spread = iter(_lengths(shortest or length, length, steps, seed))
    train(
        model,
        lambda: task.batch(BATCH, next(spread), text),
        steps,
        bayes_loss=bayes_loss,
        label=label,
    )
    return model


def with_encoding(model: Encoder, encoding: Build) -> Encoder:
    """A copy of a small encoder that has its weights, and asks another encoding."""
    other = Encoder(encoding(), model.tokens.num_embeddings, len(model.layers))
    other.load_state_dict(model.state_dict())
    return other


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
