"""Runs that train one small encoder each, and end in one tidy table."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import pandas as pd
import torch
from torch import Generator

from helpers import runtime
from helpers.corpora import MaskedBatch, Task
from helpers.encodings import Encoding, create
from helpers.model.encoder import Encoder
from helpers.training import evaluate, train
from helpers.training.together import train_together

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
    name, build = _named(encoding, label, lengths)
    tests = _tests(task, lengths)
    limit = tests[lengths[0]][1]
    models = {name: fit(task, build, seed, steps, lengths[0], name, shortest, limit)}
    for other, another in (also or {}).items():
        models[other] = with_encoding(models[name], another)
    return _scored(models, tests, seed, steps)


def run_together(
    task: Task,
    encoding: str | Build,
    seeds: Sequence[int],
    steps: int = 500,
    lengths: Iterable[int] = (24,),
    label: str | None = None,
    device: str = "cuda",
) -> pd.DataFrame:
    """Do as `run` for several seeds, trained as one batch of models; the same but for rounding."""
    lengths = tuple(lengths)
    name, build = _named(encoding, label, lengths)
    models = [_untrained(task, build, seed).to(device) for seed in seeds]
    texts = [Generator().manual_seed(seed) for seed in seeds]
    batches = [partial(task.batch, BATCH, lengths[0], text) for text in texts]
    train_together(models, batches, steps, label=f"{name}, {len(seeds)} seeds, losses added up")
    tests = _tests(task, lengths)
    tables = [
        _scored({name: model.cpu()}, tests, seed, steps)
        for model, seed in zip(models, seeds, strict=True)
    ]
    return pd.concat(tables, ignore_index=True)


def _named(encoding: str | Build, label: str | None, lengths: Sequence[int]) -> tuple[str, Build]:
    """Return what the table calls an encoding, and what builds it."""
    name = label or (encoding if isinstance(encoding, str) else "yours")
    if isinstance(encoding, str):
        encoding = partial(create, encoding, d_model=WIDTH, num_heads=HEADS, max_len=max(lengths))
    return name, encoding


def _tests(task: Task, lengths: Iterable[int]) -> dict[int, tuple[MaskedBatch, float]]:
    """Return text to evaluate on, and the lowest loss there, by length."""
    count = DRY_TESTS if runtime.profile() == "dry" else TESTS
    tests = {n: task.batch(count, n, Generator().manual_seed(10_000 + n)) for n in lengths}
    return {n: (test, task.bayes_loss(test)) for n, test in tests.items()}


def _scored(
    models: Mapping[str, Encoder],
    tests: Mapping[int, tuple[MaskedBatch, float]],
    seed: int,
    steps: int,
) -> pd.DataFrame:
    rows = []
    for kind, model in models.items():
        for n, (test, limit) in tests.items():
            score = evaluate(model, test)
            row = {"encoding": kind, "seed": seed, "steps": steps, "length": n}
            rows.append(row | {"loss": score.loss, "limit": limit, "accuracy": score.accuracy})
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
    lr: float = 6e-3,
) -> Encoder:
    """Train a two-layer encoder on `task` at `length` tokens; arguments as in `run`, `train`."""
    model = _untrained(task, encoding, seed)
    text = Generator().manual_seed(seed)
    spread = iter(_lengths(shortest or length, length, steps, seed))
    train(
        model,
        lambda: task.batch(BATCH, next(spread), text),
        steps,
        lr,
        bayes_loss=bayes_loss,
        label=label,
    )
    return model


def _untrained(task: Task, encoding: Build, seed: int) -> Encoder:
    runtime.seed_everything(seed)
    return Encoder(encoding(), task.vocab_size, LAYERS)


def with_encoding(model: Encoder, encoding: Build) -> Encoder:
    """Copy a small encoder, its weights included, but with another encoding."""
    other = Encoder(encoding(), model.tokens.num_embeddings, len(model.layers))
    other.load_state_dict(model.state_dict())
    return other


def _lengths(low: int, high: int, steps: int, seed: int) -> list[int]:
    """Draw the length of each batch, uniform between the two, both included."""
    draw = random.Random(seed)
    return [draw.randint(low, high) for _ in range(steps)]


def race(
    task: Task,
    encodings: Iterable[str],
    seeds: Iterable[int],
    steps: int = 500,
    lengths: Iterable[int] = (24,),
) -> pd.DataFrame:
    """Do as `run` for every encoding and seed; on a GPU, all seeds of one at once."""
    lengths, seeds = tuple(lengths), tuple(seeds)
    if torch.cuda.is_available():
        runs = [run_together(task, name, seeds, steps, lengths) for name in encodings]
    else:
        runs = [run(task, name, seed, steps, lengths) for name in encodings for seed in seeds]
    return pd.concat(runs, ignore_index=True)
