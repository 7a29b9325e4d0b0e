"""A small encoder trained on short texts, made to read longer ones: with and without more training.

The weights stay those of one training; what changes is the encoding that the layers ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
from torch import Generator

from helpers import runtime
from helpers.corpora import MaskedBatch, Task
from helpers.model.encoder import Encoder
from helpers.training import evaluate, train
from helpers.training.experiments import Build, with_encoding

LENGTHS, LONGER = (24, 48, 96, 192), 96
TOKENS, DRY_TOKENS = 12_000, 600  # of each evaluation; the fewer where only a notebook is tried
TUNING_BATCH, TUNING_LR = 8, 2e-3  # of the fine-tuning; training has 64 and 6e-3


def extend(
    model: Encoder,
    task: Task,
    ways: Mapping[str, Build],
    seed: int,
    tuning: Iterable[int] = (0,),
    lengths: Iterable[int] = LENGTHS,
    longer: int = LONGER,
) -> pd.DataFrame:
    """Evaluate the weights of `model` under each of `ways`, with and without fine-tuning.

    Args:
        model: a small encoder, for example from `fit`; it stays as it is.
        task: what it was trained on.
        ways: label → function that builds the encoding to ask instead.
        seed: of the text of the fine-tuning, which is the same for all ways.
        tuning: numbers of steps; each is a run of its own from the weights of `model`.
        lengths: lengths to evaluate at, in tokens.
        longer: length of the fine-tuning, in tokens.

    Returns:
        One row a way, number of steps and length: encoding, tuned (steps), seed, length, loss and
        limit (nats per scored token), and accuracy.
    """
    tuning, tests = tuple(tuning), {n: _test(task, n) for n in lengths}
    limits = {n: task.bayes_loss(test) for n, test in tests.items()}
    rows = []
    for label, build in ways.items():
        for steps in tuning:
            each = _tuned(with_encoding(model, build), task, seed, steps, longer, label)
            for n, test in tests.items():
                score = evaluate(each, test)
                row = {"encoding": label, "tuned": steps, "seed": seed, "length": n}
                row |= {"loss": score.loss, "limit": limits[n], "accuracy": score.accuracy}
                rows.append(row)
    return pd.DataFrame(rows)


def _test(task: Task, length: int) -> MaskedBatch:
    tokens = DRY_TOKENS if runtime.profile() == "dry" else TOKENS
    return task.batch(tokens // length, length, Generator().manual_seed(10_000 + length))


def _tuned(model: Encoder, task: Task, seed: int, steps: int, length: int, label: str) -> Encoder:
    if steps:
        text = Generator().manual_seed(1_000 + seed)  # not the text of the training
        next_batch = lambda: task.batch(TUNING_BATCH, length, text)  # noqa: E731
        train(model, next_batch, steps, TUNING_LR, label=f"{label}, fine-tuned")
    return model
