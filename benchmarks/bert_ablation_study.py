"""BERT's table 6 in miniature: layers, width and heads.

Each size is pretrained on the grammar, then tuned to tell whether the verbs of a text agree.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial

import pandas as pd

from benchmarks.bert_race_study import BATCH, TRAINING
from benchmarks.bert_tuning_study import STEPS, tuned_accuracy
from benchmarks.sweep import at_once, pretrained, sweep
from helpers.corpora import Grammar
from helpers.model.bert import preset
from helpers.training.pretraining import grammar_batches, grammar_scores

# Layers, width and heads; each stands for a row of the paper's table, in its order.
SIZES = [(1, 64, 4), (2, 64, 1), (2, 64, 4), (4, 64, 4), (4, 96, 6), (8, 96, 6)]
RATE = TRAINING["lr"]


def ablation(layers: int, width: int, heads: int, lr: float, seeds: Sequence[int]) -> pd.DataFrame:
    """One size: perplexity after pretraining, accuracy after tuning."""
    grammar = Grammar()
    size = preset(
        vocab_size=grammar.vocab_size,
        max_len=grammar.length,
        num_layers=layers,
        d_model=width,
        num_heads=heads,
    )
    begun = time.process_time()
    texts = partial(grammar_batches, grammar, BATCH)
    models = pretrained("learned", texts, seeds, size, STEPS, **TRAINING | {"lr": lr})
    minutes = (time.process_time() - begun) / 60 / len(seeds)
    rows = []
    for model, seed in zip(models, seeds, strict=True):
        score = grammar_scores(model).set_index("kind").loc["all"]
        row: dict[str, float] = {"layers": layers, "width": width, "heads": heads, "seed": seed}
        row |= {"lr": lr, "steps": STEPS, "minutes": minutes}
        row |= {"loss": score.loss, "limit": score.limit, "perplexity": math.exp(score.loss)}
        row["accuracy"] = tuned_accuracy("agreement", model.bert, width, seed)
        rows.append(row)
    return pd.DataFrame(rows)


def main() -> None:
    """Run the study."""
    jobs = [at_once("-".join(map(str, size)), partial(ablation, *size, RATE)) for size in SIZES]
    largest = SIZES[-1]  # is it the depth, or a rate that is too high for it?
    jobs.append(at_once("largest at half the rate", partial(ablation, *largest, RATE / 2)))
    sweep("bert_ablation", jobs, by=("layers", "width", "heads", "lr"))


if __name__ == "__main__":
    main()
