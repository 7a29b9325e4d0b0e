"""BERT's table 6 in miniature: layers, width and heads.

Each size is pretrained on the grammar, then tuned to tell whether the verbs of a text agree.
"""

from __future__ import annotations

import math
import time
from functools import partial

import pandas as pd

from benchmarks.bert_race_study import TRAINING
from benchmarks.bert_tuning_study import STEPS, tuned_accuracy
from benchmarks.sweep import Job, sweep
from helpers.corpora import Grammar
from helpers.model.bert import preset
from helpers.training.pretraining import grammar_scores, on_grammar

# Layers, width and heads; each stands for a row of the paper's table, in its order.
SIZES = [(1, 64, 4), (2, 64, 1), (2, 64, 4), (4, 64, 4), (4, 96, 6), (8, 96, 6)]
RATE = TRAINING["lr"]


def ablation(layers: int, width: int, heads: int, lr: float, seed: int) -> pd.DataFrame:
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
    model, _ = on_grammar("learned", seed, STEPS, size, **TRAINING | {"lr": lr})
    minutes = (time.process_time() - begun) / 60
    score = grammar_scores(model).set_index("kind").loc["all"]
    row: dict[str, float] = {"layers": layers, "width": width, "heads": heads, "seed": seed}
    row |= {"lr": lr, "steps": STEPS, "minutes": minutes}
    row |= {"loss": score.loss, "limit": score.limit, "perplexity": math.exp(score.loss)}
    row["accuracy"] = tuned_accuracy("agreement", model.bert, width, seed)
    return pd.DataFrame([row])


def main() -> None:
    """Run the study."""
    jobs = [Job("-".join(map(str, size)), partial(ablation, *size, RATE)) for size in SIZES]
    largest = SIZES[-1]  # is it the depth, or a rate that is too high for it?
    jobs.append(Job("largest at half the rate", partial(ablation, *largest, RATE / 2)))
    sweep("bert_ablation", jobs, by=("layers", "width", "heads", "lr"))


if __name__ == "__main__":
    main()
