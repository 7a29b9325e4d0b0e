"""Why RoPE gets lost on longer texts of the grammar, and hardly on English: two suspicions.

Trained on 400 batches of 32 texts of 64 words. Without beats and echo, no rule asks for a position
or a far offset, as in prose. And each model is evaluated once more with offsets beyond ±63, which
training has not seen, counted as ±63 (see controls_study.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from benchmarks.bert_race_study import HIDDEN, LENGTHS, TRAINING
from benchmarks.controls_study import ClippedRotary
from benchmarks.sweep import DEVICE, at_once, pretrained, sweep
from helpers.corpora import Grammar
from helpers.model.bert import Bert, Pretraining, preset
from helpers.training.pretraining import grammar_batches, grammar_scores

STEPS = 400
RULES: dict[str, dict[str, Any]] = {
    "all rules": {},
    "neither": {"beats": (), "echo": 0},
}


def run(rules: str, seeds: Sequence[int]) -> pd.DataFrame:
    """Trainings, each evaluated with its offsets as they are, and clipped."""
    grammar = Grammar(**RULES[rules])
    size = preset(vocab_size=grammar.vocab_size, max_len=max(LENGTHS))
    texts = partial(grammar_batches, grammar, 32, fraction=HIDDEN)
    models = pretrained("rotary", texts, seeds, size, STEPS, **TRAINING)
    scores = []
    for model, seed in zip(models, seeds, strict=True):
        clipped = ClippedRotary(size.d_model, size.num_heads, far=LENGTHS[0] - 1)
        same = Pretraining(Bert(size, clipped)).to(DEVICE)
        same.load_state_dict(model.state_dict())
        scores += [
            grammar_scores(each, LENGTHS, grammar).assign(offsets=offsets, rules=rules, seed=seed)
            for offsets, each in (("as they are", model), ("clipped", same))
        ]
    return pd.concat(scores).assign(steps=STEPS)


def main() -> None:
    """Run the study."""
    jobs = [at_once(rules, partial(run, rules)) for rules in RULES]
    sweep("bert_rope", jobs, by=("rules", "offsets", "length", "kind"))


if __name__ == "__main__":
    main()
