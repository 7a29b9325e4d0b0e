"""The board of the race: every encoding by the rules of `course race`, a record for each.

`python -m benchmarks.race_study alibi fire` runs these only. Each has its default options; what
they read that the race does not give, such as a tree beside every text, they do without. Runs that
are done are kept, so that a board that was stopped goes on.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd
import torch

from helpers import results
from helpers.encodings import available
from helpers.race.entrant import Entrant
from helpers.race.racing import OUT, run_all
from helpers.race.rules import QUICK, RIVALS, VERSION, Budget
from helpers.results import RESULTS

FOLDER = RESULTS / "race"


def record(name: str, budget: Budget = QUICK, out: Path = OUT, folder: Path = FOLDER) -> Path:
    """Run one encoding and store its scored runs, with the processor time of its sweep."""
    labels = {source: label for label, source in RIVALS.items()}  # whose runs may be there already
    swept, scored = run_all([Entrant(labels.get(name, name), name)], budget, out)
    each = swept.drop_duplicates(["task", "lr"]).groupby("task")["seconds"].sum()
    rows = scored.drop(columns=["draw", "length"]).assign(
        sweep_seconds=scored["task"].map(each).round(1), seconds=scored["seconds"].round(1)
    )
    rows = rows.astype(object).where(rows.notna(), None).assign(encoding=name, rules=VERSION)
    return results.save(name, rows, "make study", folder)


def board(folder: Path = FOLDER) -> pd.DataFrame:
    """Return the recorded rows of all encodings that are on the board; `none` is needed."""
    paths = [folder / f"{name}.json" for name in available()]
    rows = [json.loads(path.read_text(encoding="utf-8"))["rows"] for path in paths if path.exists()]
    return pd.DataFrame([row for each in rows for row in each])


def main() -> None:
    """Run all encodings, or those that are named."""
    torch.set_num_threads(1)  # as in each run; the record says so
    for name in sys.argv[1:] or available():
        print(record(name))


if __name__ == "__main__":
    main()
