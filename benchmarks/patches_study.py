"""Pictures larger than those of the training: encodings that know rows and columns, and some not.

`Patches`: each patch follows from the one a row up and two columns to the left. Trained on 6×6
patches, evaluated on 6×6, 9×9 and 12×12; loss in nats per selected patch beside the exact limit.
Five seeds; all have the same steps, batches and layers.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from benchmarks.sweep import Job, sweep
from helpers.corpora import Patches
from helpers.encodings import create
from helpers.training.experiments import HEADS, WIDTH, run

STEPS, LENGTHS, SEEDS = 400, (36, 81, 144), range(5)
LOUD = WIDTH**-0.5  # standard deviation of a table as large as the tokens (see lag_controls)

# label: what the model is told, name and options for `create`
ENCODINGS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "2-D RoPE": ("places", "rotary_2d", {}),
    "2-D RoPE, base 100": ("places", "rotary_2d", {"base": 100.0}),
    "learned per axis": ("places", "learned_2d", {"std": LOUD}),
    "2-D Fourier": ("places", "fourier_2d", {}),
    "RoPE in order": ("order", "rotary", {}),
    "learned in order": ("order", "learned", {"std": LOUD}),
}


def _run(label: str, seed: int) -> pd.DataFrame:
    told, name, options = ENCODINGS[label]
    sizes = {"d_model": WIDTH, "num_heads": HEADS, "max_len": max(LENGTHS)}
    build = partial(create, name, **sizes, **options)
    return run(Patches(told=told), build, seed, STEPS, LENGTHS, label=label)


def main() -> None:
    """Run the study."""
    sweep("patches", [Job(label, partial(_run, label), SEEDS) for label in ENCODINGS])


if __name__ == "__main__":
    main()
