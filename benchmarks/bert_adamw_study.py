"""AdamW and Muon at several learning rates each, since the best of one is not that of the other.

A learned table on the grammar, 200 steps of 32 texts: few, so that all of them fit into minutes.
"""

from __future__ import annotations

from functools import partial

from benchmarks.bert_choices_study import label, run
from benchmarks.sweep import at_once, sweep

RATES = {"adamw": (2e-3, 4e-3, 8e-3, 1.6e-2), "muon": (4e-3, 8e-3)}
SHORT = {"steps": 200, "batch": 32}


def main() -> None:
    """Run the study."""
    changes = [{"optimizer": name, "lr": lr} for name, rates in RATES.items() for lr in rates]
    jobs = [at_once(label(each), partial(run, each | SHORT)) for each in changes]
    sweep("bert_adamw", jobs, by=("optimizer", "lr"))


if __name__ == "__main__":
    main()
