"""Examines a record of the board that somebody sends: its form, and one of its runs, made again."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from helpers.encodings import REGISTRY, hooks_of
from helpers.race.distances import interval
from helpers.race.entrant import Entrant, EntrantError, entrant
from helpers.race.records import RecordError, check_rows, check_tests
from helpers.race.rules import QUICK, SCORED, Budget
from helpers.race.runs import run

FORM = {"command": str, "date": str, "machine": dict, "rows": list}
CONTRIBUTED = {"hooks": list, "code": list}
# Of a distance: where seeds agree, another processor's rounding may still change a run. With
# ATEN_CPU_CAPABILITY=default beside none, four encodings on five tasks differed by 0.010 at most.
LEAST = 0.02


def verify(path: Path, without: Path, budget: Budget = QUICK) -> str:
    """Examine a record; return what was done.

    All of its form is examined, and the limits of all tests. Of its runs one is made again, whose
    task and seed follow from the file, so that nobody chooses it. Its losses must be those of the
    record but for half of the interval over the seeds, as another processor rounds otherwise.

    Args:
        path: NAME.json. A name of the course is its encoding; any other one needs `hooks`, `code`.
        without: the record of an encoding without positions.

    Raises:
        RecordError: something is wrong; the text says what.
    """
    try:
        found, none = _read(path), _read(without)
        rows = check_rows(found["rows"], path.stem, budget)
        others = check_rows(none["rows"], without.stem, budget)
        check_tests(rows, others)
        chance = int(hashlib.sha256(path.read_bytes()).hexdigest(), 16)
        task, seed = budget.tasks[chance % len(budget.tasks)], chance % budget.seeds
        mine, its = (each[each["task"] == task] for each in (rows, others))
        _run_again(path.stem, found, mine, its, seed, budget)
    except (RecordError, EntrantError) as error:
        raise RecordError(f"{path.name}: {error}") from error
    return f"{path.name}: its form is right, and {task} with seed {seed} comes to the same"


def _read(path: Path) -> dict[str, Any]:
    """Return a record, with all that it must have and nothing else."""

    def refuse(constant: str) -> NoReturn:
        raise RecordError(f"{constant} is no JSON; a loss that is no number is null")

    try:
        found = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RecordError(f"no JSON: {error}") from error
    form = FORM if path.stem in REGISTRY else FORM | CONTRIBUTED
    if not isinstance(found, dict) or {*form} != {*found}:
        raise RecordError(f"must be an object with {', '.join(form)}, and nothing else")
    for name, kind in form.items():
        if not isinstance(found[name], kind) or not found[name]:
            raise RecordError(f"{name} must be a {kind.__name__} that is not empty")
    return found


def _run_again(
    name: str,
    found: dict[str, Any],
    rows: pd.DataFrame,
    none: pd.DataFrame,
    seed: int,
    budget: Budget,
) -> None:
    """Run one seed of a task, and compare its losses with those of the record.

    Args:
        rows, none: of the task.
    """
    task, at = rows["task"].iloc[0], ["kind", "times"]
    before, without = (each[each["seed"] == seed].set_index(at) for each in (rows, none))
    with tempfile.TemporaryDirectory() as folder:
        mine = Entrant(name, name)
        if name not in REGISTRY:
            file = Path(folder) / f"{name}.py"
            file.write_text("\n".join(map(str, found["code"])) + "\n", encoding="utf-8")
            mine = entrant(f"{file}:{name}")
            if [*hooks_of(mine.kind())] != found["hooks"]:
                raise RecordError(f"hooks must be {[*hooks_of(mine.kind())]}")
        again = run(mine, task, SCORED, before["lr"].iloc[0], budget, seed).set_index(at)
    half = interval(rows.pivot(index="seed", columns=at, values="loss"))["half"]
    for where, row in before.iterrows():
        least = LEAST * (without.loc[where, "loss"] - row["limit"])
        room = max(least, half[where]) if half[where] > 0 else least
        now = again.loc[where]
        if now["outcome"] != row["outcome"] or abs(now["loss"] - row["loss"]) > room:
            kind, times = where
            raise RecordError(
                f"{task}, seed {seed}, {kind} at {times}×: the record has {row['outcome']}, "
                f"{row['loss']:.3f}; run again it is {now['outcome']}, {now['loss']:.3f}; "
                f"{room:.3f} may be between them"
            )
