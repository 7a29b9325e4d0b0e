"""A mini BERT with each encoding, on the grammar and on English, in range and at 2× and 4×.

Trained at T = 64, evaluated at 64, 128 and 256. On the grammar the exact limit stands beside the
loss, for each kind of place. The English is the docstrings of this machine; beside it stand the
level of a model that counts words, and runs on the same text with each row shuffled, and with all
words shuffled over all rows.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache, partial
from itertools import product
from typing import Any

import pandas as pd
from torch import Generator, Tensor

from benchmarks.lag_study import ENCODINGS
from benchmarks.sweep import at_once, pretrained, sweep
from helpers.corpora import Grammar
from helpers.corpora.english import docstrings
from helpers.corpora.inputs import mask_words
from helpers.corpora.text import Text, shuffled, tokenized
from helpers.encodings import Encoding, create
from helpers.model.bert import Size, preset
from helpers.runtime import fast_precision
from helpers.training.pretraining import grammar_batches, grammar_scores, text_batches, text_score

LENGTHS = (64, 128, 256)
STEPS = {"grammar": 800, "English": 800}
BATCH = 64
HIDDEN = 0.4  # of the grammar's words, which trains better than BERT's 15 %: see bert_choices
TRAINING: dict[str, Any] = {"lr": 4e-3, "optimizer": "muon", "precision": fast_precision("cpu")}
ON_GRAMMAR = [
    *("none", "sinusoidal", "learned", "Fourier", "Shaw keys", "Huang", "Transformer-XL"),
    *("T5 bias", "ALiBi, symmetric", "FIRE", "RoPE", "DeBERTa", "CoPE", "TUPE, relative"),
    *("index MLP", "Shaw", "clipped bias", "ALiBi, directional", "Kerple", "xPos", "window"),
]
ON_ENGLISH = [
    *("none", "sinusoidal", "learned", "RoPE", "Shaw keys", "T5 bias", "ALiBi, symmetric"),
    *("Transformer-XL", "DeBERTa", "TUPE, relative"),
]
CONTROLS = {"learned, shuffled order": False, "learned, shuffled over all rows": True}


def encoding(label: str, size: Size) -> Encoding:
    """The encoding that `label` stands for, with vectors for the longest text."""
    name, options = ENCODINGS[label]
    options = options | ({"threshold": 64.0} if name == "fire" else {})
    sizes = {"d_model": size.d_model, "num_heads": size.num_heads, "max_len": size.max_len}
    return create(name, **(sizes | options))


def grammar(label: str, seeds: Sequence[int]) -> pd.DataFrame:
    """Runs on the grammar."""
    language = Grammar()
    size = preset(vocab_size=language.vocab_size, max_len=max(LENGTHS))
    build = partial(encoding, label, size)
    texts = partial(grammar_batches, language, BATCH, fraction=HIDDEN)
    begun = time.process_time()
    models = pretrained(build, texts, seeds, size, STEPS["grammar"], **TRAINING)
    minutes = (time.process_time() - begun) / 60 / len(seeds)
    scores = [
        grammar_scores(model, LENGTHS).assign(encoding=label, seed=seed)
        for model, seed in zip(models, seeds, strict=True)
    ]
    return pd.concat(scores).assign(steps=STEPS["grammar"], minutes=minutes)


def english(label: str, seeds: Sequence[int]) -> pd.DataFrame:
    """Runs on English."""
    text, baseline = english_text()
    size = preset(vocab_size=text.tokenizer.get_vocab_size(), max_len=max(LENGTHS))
    build = partial(encoding, label.split(", shuffled")[0], size)
    texts = partial(text_batches, _rows(label, LENGTHS[0]), size.vocab_size, BATCH)
    begun = time.process_time()
    models = pretrained(build, texts, seeds, size, STEPS["English"], **TRAINING)
    minutes = (time.process_time() - begun) / 60 / len(seeds)
    rows = []
    for (model, seed), length in product(zip(models, seeds, strict=True), LENGTHS):
        test = _rows(label, length, test=True)[: 96_000 // length]
        score = text_score(model, test)
        row = {"encoding": label, "seed": seed, "steps": STEPS["English"], "length": length}
        row |= {"loss": score.loss, "unigram": baseline, "accuracy": score.accuracy}
        row["shown"] = text.shown_baseline(
            mask_words(test, size.vocab_size, Generator().manual_seed(0))
        )
        rows.append(row | {"minutes": minutes})
    return pd.DataFrame(rows)


@cache
def english_text() -> tuple[Text, float]:
    """The docstrings of this machine, and their unigram baseline in nats per word."""
    text = tokenized(docstrings())
    return text, text.unigram_baseline()


def _rows(label: str, length: int, test: bool = False) -> Tensor:
    rows = english_text()[0].rows(length, test)
    return shuffled(rows, across=CONTROLS[label]) if label in CONTROLS else rows


def main() -> None:
    """Run both races."""
    jobs = [at_once(label, partial(grammar, label)) for label in ON_GRAMMAR]
    sweep("bert_grammar", jobs, by=("encoding", "length", "kind"))
    jobs = [at_once(label, partial(english, label)) for label in (*ON_ENGLISH, *CONTROLS)]
    sweep("bert_english", jobs)


if __name__ == "__main__":
    main()
