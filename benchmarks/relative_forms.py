"""The forms of one sum q_i·a_{j−i} on a GPU: `benchmarks.relative_attention` without the peers.

FlexAttention, which has a gradient only there, is among them. Prints peak memory and time of one
step, forward and backward; writes relative_forms_DEVICE.json.
"""

from __future__ import annotations

from benchmarks import relative_attention as bench
from benchmarks.mini_bert import COMMAND, DRY, out
from benchmarks.relative_steps import DEVICE
from helpers import results

LENGTHS = (128,) if DRY else bench.LENGTHS


def main() -> None:
    """Measure, print, store."""
    table = bench.measured([bench.FORMS], LENGTHS)
    bench.show(table)
    print(results.save(f"relative_forms_{DEVICE}", table, COMMAND, out()))


if __name__ == "__main__":
    main()
