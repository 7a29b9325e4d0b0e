"""What pretraining is worth afterwards: fine-tuning from several starts, on two questions.

The mini BERT is pretrained on the grammar, then tuned to tell whether the verbs of a text agree, or
whether its halves are of one text (BERT's second task). Beside it: its body frozen, the same model
from nothing, and a bag of words.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import partial
from itertools import product

import pandas as pd
from torch import Generator, nn

from benchmarks.bert_race_study import BATCH, TRAINING
from benchmarks.sweep import DEVICE, at_once, pretrained, sweep
from helpers.corpora import Grammar
from helpers.model.bert import Bert, preset
from helpers.runtime import seed_everything
from helpers.training import finetuning
from helpers.training.pretraining import grammar_batches

STEPS = 800  # of pretraining, and of fine-tuning
TASKS = {"agreement": finetuning.agreement, "pairs": finetuning.pairs}
PRETRAINED = ("pretrained", "pretrained, frozen")
OTHERS = ("from nothing", "bag of words")


def tuned_accuracy(
    task: str, body: nn.Module, width: int, seed: int, frozen: bool = False
) -> float:
    """Share of 2,000 fresh texts that `body` gets right after it was tuned on 8,000 others."""
    grammar, make = Grammar(), TASKS[task]
    drawn = (
        make(grammar, number, Generator().manual_seed(10_000 + number)) for number in (8000, 2000)
    )
    data, test = (finetuning.Labelled(*(part.to(DEVICE) for part in each)) for each in drawn)
    lr = 3e-3 if frozen else 1e-3
    model = finetuning.tune(body, width, data, seed, STEPS, lr, frozen)
    return finetuning.accuracy(model, test)


def tuning(starts: Sequence[str], seeds: Sequence[int]) -> pd.DataFrame:
    """Both questions, from models that are `PRETRAINED`, or from `OTHERS`."""
    grammar = Grammar()
    size = preset(vocab_size=grammar.vocab_size, max_len=grammar.length)
    models = {}
    if starts == PRETRAINED:
        texts = partial(grammar_batches, grammar, BATCH)
        several = pretrained("learned", texts, seeds, size, STEPS, **TRAINING)
        models = dict(zip(seeds, several, strict=True))
    rows = []
    for seed, task, start in product(seeds, TASKS, starts):
        seed_everything(seed)
        body: nn.Module = nn.Embedding(size.vocab_size, size.d_model)
        if starts == PRETRAINED:
            body = copy.deepcopy(models[seed].bert)
        elif start == "from nothing":
            body = Bert(size)
        found = tuned_accuracy(task, body, size.d_model, seed, frozen="frozen" in start)
        rows.append({"task": task, "start": start, "seed": seed, "steps": STEPS, "accuracy": found})
    return pd.DataFrame(rows)


def main() -> None:
    """Run the study."""
    starts = {"pretrained": PRETRAINED, "others": OTHERS}
    jobs = [at_once(label, partial(tuning, each)) for label, each in starts.items()]
    sweep("bert_tuning", jobs, by=("task", "start"))


if __name__ == "__main__":
    main()
