"""The choices behind `on_grammar`: initialisation, optimiser, rate, masking, batch, LayerNorm.

One thing is changed at a time; every run reads the same number of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from benchmarks.sweep import at_once, pretrained, sweep
from helpers.corpora import Grammar
from helpers.model.bert import preset
from helpers.runtime import fast_precision
from helpers.training.pretraining import grammar_batches, grammar_scores

ROWS = 800 * 64
CHOSEN: dict[str, Any] = {
    "encoding": "learned",
    "std": 0.05,
    "norm": "pre",
    "optimizer": "muon",
    "lr": 4e-3,
    "share": 0.15,
    "batch": 64,
}
CHANGES: list[dict[str, Any]] = [
    {},
    {"std": 0.02},
    {"std": 0.1},
    {"optimizer": "adamw"},
    {"optimizer": "adamw", "std": 0.02},
    {"lr": 2e-3},
    {"lr": 8e-3},
    {"share": 0.4},
    {"batch": 32},
    {"batch": 128},
    {"norm": "post"},
    {"encoding": "sinusoidal"},
    {"encoding": "sinusoidal", "std": 0.02},
]


def run(change: dict[str, Any], seeds: Sequence[int]) -> pd.DataFrame:
    """Runs with `change`; a row has all settings."""
    each = CHOSEN | change
    grammar = Grammar()
    size = preset(
        vocab_size=grammar.vocab_size, max_len=grammar.length, std=each["std"], norm=each["norm"]
    )
    steps = each.get("steps", ROWS // each["batch"])
    texts = partial(grammar_batches, grammar, each["batch"], fraction=each["share"])
    options = {"precision": fast_precision("cpu"), "optimizer": each["optimizer"], "lr": each["lr"]}
    models = pretrained(each["encoding"], texts, seeds, size, steps, **options)
    rows = []
    for model, seed in zip(models, seeds, strict=True):
        score = grammar_scores(model).set_index("kind").loc["all"]
        row = {"changed": label(change), "seed": seed, **each, "steps": steps}
        rows.append(row | {"loss": score.loss, "limit": score.limit})
    return pd.DataFrame(rows)


def label(change: dict[str, Any]) -> str:
    """What is changed, in words."""
    return ", ".join(f"{name} {value}" for name, value in change.items()) or "as chosen"


def main() -> None:
    """Run the study."""
    jobs = [at_once(label(change), partial(run, change)) for change in CHANGES]
    sweep("bert_choices", jobs, by=("changed",))


if __name__ == "__main__":
    main()
