"""A training step of BERT base and large, ours beside transformers', each also compiled.

As `mini_bert_forms`, with rows of 512 tokens: logits at the masked places only, half precision, no
dropout, AdamW. Prints tokens per second and the utilisation; writes bert_sizes_DEVICE.json anew
after each form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from benchmarks import mini_bert
from benchmarks.mini_bert import COMMAND, DEVICE, DRY, FAST, ROWS
from benchmarks.mini_bert_forms import flops, measured
from benchmarks.timing import Step
from helpers import results
from helpers.corpora.inputs import MlmBatch, places_loss
from helpers.model.bert import Bert, Pretraining, Size, preset
from helpers.training import optimizer
from helpers.training.loop import training_step
from helpers.training.optimizer import Updates
from helpers.training.pretraining import text_batches

# Rows of a step, in which the large products take most of the time.
SIZES = {"base": (preset("base", dropout=0.0), 32), "large": (preset("large", dropout=0.0), 16)}
if DRY:
    SIZES = {name: (replace(mini_bert.SIZE, norm="post"), ROWS) for name in SIZES}


def draws(size: Size, rows: int) -> Callable[[], MlmBatch]:
    """Return a function that gives masked batches of random words."""
    words = torch.randint(5, size.vocab_size, (1000, size.max_len), device=DEVICE)
    return text_batches(words, size.vocab_size, rows, 0)


def ours(size: Size, rows: int, compiled: bool) -> Step:
    """Make a step as `python -m helpers.training` does it, with or without --compile."""
    model = Pretraining(Bert(size)).to(DEVICE)
    updates = Updates(model, "adamw", 1e-4, steps=10**9, scaled=FAST == "float16")
    train_on = training_step(model, places_loss, updates, FAST, compiled, graph=not compiled)
    next_batch = draws(size, rows)

    def step() -> None:
        train_on(next_batch())

    return step


def of_transformers(size: Size, rows: int, compiled: bool) -> Step:
    """Make a step of BertForMaskedLM, with fused AdamW as ours."""
    model, next_batch = mini_bert.bert_of_transformers(size, 0.0), draws(size, rows)

    def ask(inputs: Tensor, places: Tensor) -> Tensor:
        return mini_bert.logits_of_transformers(model, inputs, places)

    asked: Any = torch.compile(ask) if compiled else ask
    parts = optimizer.build(model, "adamw", 1e-4)
    return mini_bert.stepper(lambda: places_loss(asked, next_batch()), parts, FAST)


def main() -> None:
    """Measure, print and store."""
    folder, done = mini_bert.out(), pd.DataFrame()
    for how in ("", ", compiled"):  # which takes a minute each: first what begins at once
        for name, (size, rows) in SIZES.items():
            ways = {
                f"{whose}, {name}{how}": partial(make, size, rows, bool(how) and not DRY)
                for whose, make in (("ours", ours), ("transformers", of_transformers))
            }

            def keep(table: pd.DataFrame, before: pd.DataFrame = done) -> pd.DataFrame:
                both = pd.concat([before, table], ignore_index=True)
                results.save(f"bert_sizes_{DEVICE}", both, COMMAND, folder)
                return both

            asked = flops(ours(size, rows, compiled=False))
            done = keep(measured(ways, asked, rows * size.max_len, keep, alike=True))
    print(done.round(3).to_string(index=False))
    print(f"{(done['error'] == '').sum()} of {len(done)} forms ran")


if __name__ == "__main__":
    main()
