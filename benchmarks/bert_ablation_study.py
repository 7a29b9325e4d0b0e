"""BERT's table 6 in miniature: layers, width and heads; and what pretraining is worth afterwards.

Each size is pretrained on the grammar, then tuned to tell whether the verbs of a text agree. The
mini BERT is also tuned from nothing and with its body frozen, beside a bag of words.
"""

from __future__ import annotations

import copy
import math
import time
from functools import partial

import pandas as pd
from torch import Generator, nn

from benchmarks.bert_race_study import TRAINING
from benchmarks.sweep import Job, sweep
from helpers import finetuning
from helpers.bert import Bert, Size, preset
from helpers.corpora import Grammar
from helpers.pretraining import grammar_scores, on_grammar
from helpers.runtime import seed_everything

STEPS = 800
# Layers, width and heads; below each the row of the paper's table that it stands for.
SIZES = [(1, 64, 4), (2, 64, 1), (2, 64, 4), (4, 64, 4), (4, 96, 6), (8, 96, 6)]
STARTS = ("pretrained", "pretrained, frozen", "from nothing", "bag of words")


def _size(layers: int, width: int, heads: int) -> Size:
    grammar = Grammar()
    return preset(
        vocab_size=grammar.vocab_size,
        max_len=grammar.length,
        num_layers=layers,
        d_model=width,
        num_heads=heads,
    )


def _accuracy(body: nn.Module, width: int, seed: int, frozen: bool = False) -> float:
    grammar = Grammar()
    data, test = (
        finetuning.agreement(grammar, number, Generator().manual_seed(10_000 + number))
        for number in (8000, 2000)
    )
    model = finetuning.tune(body, width, data, seed, lr=3e-3 if frozen else 1e-3, frozen=frozen)
    return finetuning.accuracy(model, test)


def ablation(layers: int, width: int, heads: int, seed: int) -> pd.DataFrame:
    """One size: perplexity after pretraining, accuracy after tuning."""
    begun = time.process_time()
    model, _ = on_grammar("learned", seed, STEPS, _size(layers, width, heads), **TRAINING)
    minutes = (time.process_time() - begun) / 60
    score = grammar_scores(model).set_index("kind").loc["all"]
    row: dict[str, float] = {"layers": layers, "width": width, "heads": heads, "seed": seed}
    row |= {"steps": STEPS, "minutes": minutes}
    row |= {"loss": score.loss, "limit": score.limit, "perplexity": math.exp(score.loss)}
    return pd.DataFrame([row | {"accuracy": _accuracy(model.bert, width, seed)}])


def tuning(start: str, seed: int) -> pd.DataFrame:
    """The mini BERT tuned from one start, or a bag of words."""
    size = _size(2, 128, 2)
    seed_everything(seed)
    body: nn.Module = nn.Embedding(size.vocab_size, size.d_model)
    if start == "from nothing":
        body = Bert(size)
    elif start != "bag of words":
        body = copy.deepcopy(on_grammar("learned", seed, STEPS, size, **TRAINING)[0].bert)
    found = _accuracy(body, size.d_model, seed, frozen="frozen" in start)
    return pd.DataFrame([{"start": start, "seed": seed, "steps": STEPS, "accuracy": found}])


def main() -> None:
    """Run both."""
    sizes = [Job("-".join(map(str, size)), partial(ablation, *size)) for size in SIZES]
    sweep("bert_ablation", sizes, by=("layers", "width", "heads"))
    sweep("bert_tuning", [Job(each, partial(tuning, each)) for each in STARTS], by=("start",))


if __name__ == "__main__":
    main()
