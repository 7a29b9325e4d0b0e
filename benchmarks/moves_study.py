"""Where relative positions win and where absolute ones do: y_t = x_{t−3}, and y_t = x_{T−1−t}.

Shift is trained on lengths from 8 to 32 and evaluated at 32, 64 and 128; reverse is trained at 16
and evaluated at 16, 32 and 64. At 16, Shaw's clip and T5's buckets merge some of the offsets that
reverse needs. Is that why they do worse? The same with all offsets apart is kept as reverse_apart.
"""

from __future__ import annotations

from typing import Any

from benchmarks.lag_study import ENCODINGS
from benchmarks.sweep import small, sweep
from helpers.corpora import Reverse, Shift

RACE = [
    *("none", "sinusoidal", "learned", "Shaw keys", "Transformer-XL", "clipped bias", "T5 bias"),
    *("ALiBi, symmetric", "RoPE"),
]

APART: dict[str, tuple[str, dict[str, Any]]] = {
    "Shaw keys": ("shaw_keys", {"k": 15}),
    "T5 bias": ("t5_bias", {"buckets": 64}),
}


def main() -> None:
    """Run the three sweeps."""
    shift = {"steps": 1000, "lengths": (32, 64, 128), "shortest": 8}
    sweep("shift3", [small(label, Shift(), ENCODINGS[label], shift) for label in RACE])
    back = {"steps": 1000, "lengths": (16, 32, 64)}
    sweep("reverse", [small(label, Reverse(), ENCODINGS[label], back) for label in RACE])
    trained = back | {"lengths": (16,)}
    sweep("reverse_apart", [small(label, Reverse(), APART[label], trained) for label in APART])


if __name__ == "__main__":
    main()
