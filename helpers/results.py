"""Results of long runs: stored under benchmarks/results/, drawn by the notebooks as recorded."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # where a sandbox begins, these would take longer than all the rest
    import pandas as pd

# In a checkout the results stand beside the code; an installed package carries a copy.
RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"
PLACES = (RESULTS, Path(__file__).parent / "recorded")


@dataclass(frozen=True)
class Result:
    """A stored result: its rows, and a line that says where, when and how they were measured."""

    table: pd.DataFrame
    note: str


def save(name: str, table: pd.DataFrame, command: str, folder: Path = RESULTS) -> Path:
    """Store `table` with date, machine, versions and the command that repeats it."""
    from helpers import runtime

    record = {
        "command": command,
        "date": datetime.date.today().isoformat(),
        "machine": runtime.machine(),
        "rows": table.to_dict("records"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return path


def load(name: str) -> Result:
    """The stored result `name`.

    Raises:
        FileNotFoundError: nobody has recorded it; the text says how to.
    """
    import pandas as pd

    for folder in PLACES:
        path = folder / f"{name}.json"
        if path.exists():
            record = json.loads(path.read_text(encoding="utf-8"))
            machine = record["machine"]
            threads = f"{machine['threads']} thread{'s' if machine['threads'] != '1' else ''}"
            note = (
                f"Recorded {record['date']} on {machine['device']}, {threads}, "
                f"PyTorch {machine['torch']}. Repeat it with: {record['command']}"
            )
            return Result(pd.DataFrame(record["rows"]), note)
    raise FileNotFoundError(f"no recorded result {name!r}; `make study` records it")
