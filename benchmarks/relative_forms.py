"""The forms of one sum q_i·a_{j−i} on a GPU: `benchmarks.relative_attention` without the peers.

FlexAttention, which has a gradient only there, is among them. Prints peak memory and time of one
step, forward and backward; writes relative_forms_DEVICE.json anew after each length. A form that
raises an error has it in its row.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from benchmarks import relative_attention as bench
from benchmarks.mini_bert import COMMAND, DRY, out
from benchmarks.relative_steps import DEVICE
from helpers import results

# First those of which docs/gpu.md speaks: a compiler takes its time at each.
LENGTHS = (128,) if DRY else (2048, 4096, 512, 128, 256, 1024)


def main() -> None:
    """Measure, print, store."""
    folder, rows = out(), list[dict[str, Any]]()
    for length in LENGTHS:
        rows += bench.measure(bench.FORMS, (length,))
        path = results.save(f"relative_forms_{DEVICE}", pd.DataFrame(rows), COMMAND, folder)
    bench.show(pd.DataFrame(rows))
    print(path)


if __name__ == "__main__":
    main()
