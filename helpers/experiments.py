"""Sweeps that end in one tidy table."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd
from torch import Generator

from helpers.corpora import LagLanguage
from helpers.encoder import Encoder
from helpers.encodings import Encoding, create
from helpers.runtime import seed_everything
from helpers.training import evaluate, train

WIDTH, HEADS, LAYERS, BATCH, TRAIN_LENGTH = 48, 4, 2, 64, 24


def lag_run(
    encoding: str | Callable[[], Encoding],
    seed: int,
    steps: int = 500,
    lengths: Iterable[int] = (TRAIN_LENGTH,),
    label: str | None = None,
) -> pd.DataFrame:
    """Train a two-layer encoder on the lag-3 language at T = 24 and evaluate it at `lengths`.

    Args:
        encoding: a name for `create`, or a function that builds one of width 48 with 4 heads.
        seed: of the weights and of the training text; the evaluation text is always the same.
        steps: batches of 64 sequences.
        lengths: lengths to evaluate at, in tokens.
        label: how the table and the progress bar call it.

    Returns:
        One row a length: encoding, seed, steps, length, loss and limit (nats per selected token).
    """
    language = LagLanguage()
    name = label or (encoding if isinstance(encoding, str) else "yours")
    seed_everything(seed)
    if isinstance(encoding, str):
        built = create(encoding, d_model=WIDTH, num_heads=HEADS, max_len=max(lengths))
    else:
        built = encoding()
    model = Encoder(built, language.vocab_size, LAYERS)
    text = Generator().manual_seed(seed)
    tests = {n: language.batch(2000, n, Generator().manual_seed(10_000 + n)) for n in lengths}
    limits = {n: language.limit(test) for n, test in tests.items()}
    train(
        model,
        lambda: language.batch(BATCH, TRAIN_LENGTH, text),
        steps,
        limit=limits.get(TRAIN_LENGTH),
        label=name,
    )
    return pd.DataFrame(
        [
            {
                "encoding": name,
                "seed": seed,
                "steps": steps,
                "length": n,
                "loss": evaluate(model, test),
                "limit": limits[n],
            }
            for n, test in tests.items()
        ]
    )


def lag_race(
    encodings: Iterable[str], seeds: Iterable[int], steps: int = 500, lengths: Iterable[int] = (24,)
) -> pd.DataFrame:
    """`lag_run` for every encoding and seed, in one table."""
    lengths = tuple(lengths)
    seeds = tuple(seeds)
    runs = [lag_run(name, seed, steps, lengths) for name in encodings for seed in seeds]
    return pd.concat(runs, ignore_index=True)
