"""Encodings on the lag-3 language, three seeds, in range and at 2× and 4× the length.

Trained at T = 24, evaluated at 24, 48 and 96; loss in nats per selected token beside the exact
limit. Writes benchmarks/results/lag3.json, which notebooks draw, and lag3.png for the README.
"""

from __future__ import annotations

import matplotlib.pyplot as plt

from helpers import plots, recorded
from helpers.experiments import lag_race

ENCODINGS, SEEDS, STEPS, LENGTHS = ("none", "sinusoidal"), (0, 1, 2), 1000, (24, 48, 96)


def main() -> None:
    """Run the study, print the mean and the spread over seeds, and store every run."""
    table = lag_race(ENCODINGS, SEEDS, STEPS, LENGTHS)
    groups = table.groupby(["encoding", "length"])
    print(
        groups.agg(mean=("loss", "mean"), spread=("loss", "std"), limit=("limit", "mean")).round(3)
    )
    path = recorded.save("lag3", table, "make study")
    figure, ax = plt.subplots()
    plots.race(ax, table, "lag-3 language, trained at T = 24, three seeds")
    path.with_suffix(".png").write_bytes(plots.png(figure))
    print(path)


if __name__ == "__main__":
    main()
