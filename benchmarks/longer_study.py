"""RoPE trained on short texts of the lag-3 language, and what makes it read longer ones.

- One training at T = 24 a seed, evaluated at 24, 48, 96 and 192 tokens under other encodings: RoPE
  as it is, its offsets clipped (as in controls_study.py), interpolation, NTK, dynamic NTK (whose s
  is T/24), YaRN with and without its temperature, and no positions at all. What has a factor s has
  s = 4 there, so that 96 tokens are what it is made for.
- RoPE, interpolation, NTK and YaRN also after 30 and after 100 steps of fine-tuning at 96 tokens;
  the last three also with s = 2 and s = 8, at 24 tokens and at what they are then made for.
- Trained from scratch at T = 24: RoPE in the first or in the second of the two layers only.

Loss in nats per selected token, beside the exact limit.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from benchmarks.controls_study import ClippedRotary
from benchmarks.sweep import Job, sweep
from helpers.corpora import LagLanguage
from helpers.encodings import Encoding, Rotary, create
from helpers.training.context_extension import LENGTHS, extend
from helpers.training.experiments import HEADS, WIDTH, Build, fit

TRAINED, STEPS = LENGTHS[0], 300
SEEDS = range(20)
FACTOR, OTHER_FACTORS = 4, (2, 8)
TUNING = (0, 30, 100)
SIZES: dict[str, Any] = {"d_model": WIDTH, "num_heads": HEADS, "max_len": max(LENGTHS)}

ROPE: Build = partial(create, "rotary", **SIZES)


def slowed(name: str, factor: int = FACTOR, **options: Any) -> Build:
    """What is made for texts `factor` times as long as in training."""
    return partial(create, name, **SIZES, factor=factor, original_max_len=TRAINED, **options)


# label: how the trained weights are told positions
PLAIN: dict[str, Build] = {
    "clipped": partial(ClippedRotary, **SIZES, far=TRAINED - 1),
    "dynamic NTK": slowed("dynamic_ntk", 1),
    "none": partial(create, "none", **SIZES),
}
MADE = {"interpolation": "interpolated", "NTK": "ntk", "YaRN": "yarn"}  # for one factor s
SCRATCH: dict[str, Build] = {
    "RoPE, none": lambda: [Rotary(**SIZES), Encoding(**SIZES)],
    "none, RoPE": lambda: [Encoding(**SIZES), Rotary(**SIZES)],
}


def _extended(seed: int) -> pd.DataFrame:
    task = LagLanguage()
    model = fit(task, ROPE, seed, STEPS, TRAINED)
    made = {label: slowed(name) for label, name in MADE.items()}
    cooler = {"YaRN, no temperature": slowed("yarn", temperature=False)}
    parts = [
        extend(model, task, {"RoPE": ROPE}, seed, TUNING).assign(factor=0),
        extend(model, task, PLAIN, seed).assign(factor=0),
        extend(model, task, made, seed, TUNING).assign(factor=FACTOR),
        extend(model, task, cooler, seed).assign(factor=FACTOR),
    ]
    for factor in OTHER_FACTORS:
        made = {label: slowed(name, factor) for label, name in MADE.items()}
        found = extend(model, task, made, seed, lengths=(TRAINED, factor * TRAINED))
        parts.append(found.assign(factor=factor))
    return pd.concat(parts).assign(steps=STEPS)


def _from_scratch(label: str, seed: int) -> pd.DataFrame:
    task = LagLanguage()
    model = fit(task, SCRATCH[label], seed, STEPS, TRAINED)
    found = extend(model, task, {label: SCRATCH[label]}, seed)
    return found.assign(factor=0, steps=STEPS)


def main() -> None:
    """Run the study."""
    jobs = [Job("RoPE", _extended, SEEDS)]
    jobs += [Job(label, partial(_from_scratch, label), SEEDS) for label in SCRATCH]
    sweep("longer", jobs, by=("encoding", "factor", "tuned", "length"))


if __name__ == "__main__":
    main()
