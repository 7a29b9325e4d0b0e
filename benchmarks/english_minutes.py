"""How far below its unigram baseline a mini BERT gets on English in one minute, and in five.

RoPE, on all cores, three seeds. The number of steps is what this machine does in four fifths of the
time, as it may get slower meanwhile; the seconds are measured again and stored. Prints the targets;
writes english_minutes.json.
"""

from __future__ import annotations

import time

import pandas as pd

from benchmarks.bert_race_study import LENGTHS, TRAINING, english_text
from benchmarks.sweep import SEEDS
from helpers import results
from helpers.model.bert import preset
from helpers.training.pretraining import on_text, text_score

TARGETS = {1: 2.0, 5: 3.0}  # minutes: nats below the unigram baseline
TRIED = 40  # steps to find out how long one takes
SHARE = 0.8  # of the time that is planned with


def _trained(seed: int, steps: int) -> tuple[float, float]:
    """Train; return the seconds that it took, and the loss on new text."""
    text, _ = english_text()
    size = preset(vocab_size=text.tokenizer.get_vocab_size(), max_len=LENGTHS[0])
    begun = time.perf_counter()
    model, _ = on_text("rotary", text.rows(LENGTHS[0]), seed, steps, size, **TRAINING)
    seconds = time.perf_counter() - begun
    return seconds, text_score(model, text.rows(LENGTHS[0], test=True)[:1500]).loss


def measured(minutes: int, seed: int) -> dict[str, float]:
    """Train for so many minutes; return a row."""
    _trained(seed, TRIED // 2)  # a first run has much to set up
    step = _trained(seed, TRIED)[0] / TRIED
    steps = int(60 * minutes * SHARE / step)
    seconds, loss = _trained(seed, steps)
    row = {"minutes": minutes, "seed": seed, "steps": steps, "seconds": round(seconds, 1)}
    return row | {"loss": loss, "unigram": english_text()[1]}


def main() -> None:
    """Measure, print, store."""
    rows = pd.DataFrame([measured(minutes, seed) for minutes in TARGETS for seed in SEEDS])
    results.save("english_minutes", rows, "make bench")
    print(rows.round(3).to_string(index=False))
    for minutes, target in TARGETS.items():
        each = rows[rows["minutes"] == minutes]
        below = each["unigram"] - each["loss"]
        longest = each["seconds"].max()
        met = below.min() >= target and longest <= 60 * minutes
        print(
            f"{'met   ' if met else 'missed'} {minutes} min: "
            f"{below.mean():.2f} ± {below.std():.2f} nats below the unigram baseline "
            f"(at least {target}), {longest:.0f} s at most"
        )


if __name__ == "__main__":
    main()
