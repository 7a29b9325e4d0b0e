"""The board of the race: every encoding by the rules of `course race`, a record for each.

`python -m benchmarks.race_study alibi fire` runs these only, `… mine.py:MyEncoding` a class of
somebody's, whose record has the code. Each has its default options; what they read that the race
does not give, such as a tree beside every text, they do without. Runs that are done are kept, so
that a board that was stopped goes on. `… verify NAME.json` examines a record.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch

from benchmarks import race_verify
from helpers import results
from helpers.encodings import REGISTRY, available, hooks_of
from helpers.race.entrant import Entrant, EntrantError, entrant
from helpers.race.racing import OUT, run_all
from helpers.race.records import as_rows
from helpers.race.rules import QUICK, RIVALS, Budget
from helpers.results import RESULTS

FOLDER = RESULTS / "race"


def record(source: str, budget: Budget = QUICK, out: Path = OUT, folder: Path = FOLDER) -> Path:
    """Run one encoding and store its scored runs, with the processor time of its sweep.

    Args:
        source: its name for `create`, or "FILE.py:Class".
    """
    own = source not in REGISTRY
    labels = {name: label for label, name in RIVALS.items()}  # whose runs may be there already
    mine = entrant(source) if own else Entrant(labels.get(source, source), source)
    name = mine.name if own else source
    if own and (name in REGISTRY or not name.isidentifier()):
        raise EntrantError(f"{source}: this name is taken; call the class otherwise")
    rows = as_rows(name, *run_all([mine], budget, out))
    command = f"python -m benchmarks.race_study {source}" if own else "make study"
    path = results.save(name, rows, command, folder)
    if own:
        code = Path(source.rpartition(":")[0]).read_text(encoding="utf-8").splitlines()
        found = read(path) | {"hooks": hooks_of(mine.kind()), "code": code}
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return path


def read(path: Path) -> dict[str, Any]:
    """Return a record; an encoding that is not the course's has `hooks` and `code`."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


def recorded(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """Return the records of the board by name: the course's encodings, then contributed ones."""
    names = [*available(), *sorted({path.stem for path in folder.glob("*.json")} - {*available()})]
    paths = {name: folder / f"{name}.json" for name in names}
    return {name: read(path) for name, path in paths.items() if path.exists()}


def main() -> None:
    """Run all encodings, or those that are named; or examine records."""
    torch.set_num_threads(1)  # as in each run; the record says so
    if sys.argv[1:2] == ["verify"]:
        for name in sys.argv[2:]:
            print(race_verify.verify(Path(name), FOLDER / "none.json"))
        return
    for name in sys.argv[1:] or available():
        print(record(name))


if __name__ == "__main__":
    main()
