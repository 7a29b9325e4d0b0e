"""Every encoding on the lag-3 language, in range and at 2× and 4× the length trained at.

Trained at T = 24, evaluated at 24, 48 and 96; loss in nats per selected token beside the exact
limit. Notebooks draw benchmarks/results/lag3.json; lag3.png is for the README.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from torch import Tensor

from benchmarks.sweep import Job, small, sweep
from helpers import plots
from helpers.corpora import LagLanguage
from helpers.encodings import Encoding, Positions, Shaw
from helpers.results import RESULTS
from helpers.training.experiments import HEADS, WIDTH, run

# label: name and options for `create`
ENCODINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "none": ("none", {}),
    "sinusoidal": ("sinusoidal", {}),
    "learned": ("learned", {}),
    "learned, std 1": ("learned", {"std": 1.0}),
    "index MLP, raw": ("index_mlp", {"normalise": False, "match_norm": False}),
    "index MLP, normalised": ("index_mlp", {"match_norm": False}),
    "index MLP": ("index_mlp", {}),
    # The unit of the index at the length trained at, instead of four times as much.
    "index MLP, normalised, p/24": ("index_mlp", {"match_norm": False, "max_len": 24}),
    "index MLP, p/24": ("index_mlp", {"max_len": 24}),
    "Fourier, no norm": ("fourier", {"match_norm": False}),
    "Fourier": ("fourier", {}),
    "Fourier, γ = 10": ("fourier", {"gamma": 10.0}),
    "Shaw keys": ("shaw_keys", {}),
    "Shaw": ("shaw", {}),
    "Shaw keys, k = 2": ("shaw_keys", {"k": 2}),
    "Huang": ("huang", {}),
    "Transformer-XL": ("transformer_xl", {}),
    "clipped bias": ("clipped_bias", {}),
    "T5 bias": ("t5_bias", {}),
    "ALiBi, symmetric": ("alibi", {}),
    "ALiBi, directional": ("alibi", {"form": "directional"}),
    "Kerple": ("kerple", {}),
    "FIRE": ("fire", {"threshold": 24.0}),
    "RoPE": ("rotary", {}),
    "xPos": ("xpos", {}),
    "DeBERTa": ("deberta", {"k": 8}),
    "CoPE": ("cope", {}),
    "TUPE": ("tupe", {}),
    "TUPE, relative": ("tupe", {"relative": True}),
    "window": ("window", {}),
}
OPTIONS: dict[str, Any] = {"steps": 1000, "lengths": (24, 48, 96)}


class ShawValues(Encoding):
    """Shaw's vectors beside the values alone: a row of the paper's table 3, used nowhere else."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.whole = Shaw(d_model, num_heads, max_len)  # its vectors for keys are not asked

    def context(self, weights: Tensor, positions: Positions) -> Tensor:
        """As the whole of the paper has it."""
        return self.whole.context(weights, positions)


def _values(label: str, seed: int) -> pd.DataFrame:
    return run(LagLanguage(), lambda: ShawValues(WIDTH, HEADS), seed, label=label, **OPTIONS)


VALUES = Job("Shaw values", partial(_values, "Shaw values"))


def main() -> None:
    """Run the study and draw two of its encodings for the README."""
    jobs = [small(label, LagLanguage(), each, OPTIONS) for label, each in ENCODINGS.items()]
    jobs.append(VALUES)
    table = sweep("lag3", jobs)
    figure, ax = plt.subplots()
    shown = table[table.encoding.isin(["none", "sinusoidal", "Shaw keys"])]
    plots.race(ax, shown, "lag-3 language, trained at T = 24, three seeds")
    (RESULTS / "lag3.png").write_bytes(plots.png(figure))


if __name__ == "__main__":
    main()
