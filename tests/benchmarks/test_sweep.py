"""A sweep goes on where it stopped, and does not take over what other code has made."""

from pathlib import Path

import pandas as pd
import pytest

from benchmarks import sweep
from helpers import results


def _row(seed: int) -> pd.DataFrame:
    return pd.DataFrame([{"encoding": "none", "length": 8, "seed": seed, "loss": float(seed)}])


@pytest.mark.rotating
def test_what_is_done_is_kept_until_the_code_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "DONE", tmp_path / "sweeps")
    monkeypatch.setattr(results, "save", lambda name, rows, command: None)
    monkeypatch.setattr(sweep, "code_now", lambda: "one")
    job = sweep.Job("none", _row)
    assert sweep.sweep("made", [job])["loss"].tolist() == [0, 1, 2]
    kept = tmp_path / "sweeps" / "made-one" / "none-1.csv"
    _row(7).to_csv(kept, index=False)
    assert sweep.sweep("made", [job])["loss"].tolist() == [0, 7, 2]
    monkeypatch.setattr(sweep, "code_now", lambda: "two")
    assert sweep.sweep("made", [job])["loss"].tolist() == [0, 1, 2]
    some = sweep.Job("none", _row, (3, 5))
    assert sweep.sweep("made", [some])["loss"].tolist() == [3, 5]


def test_code_that_trains_counts_and_other_code_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "helpers" / "training").mkdir(parents=True)
    loop, plots = tmp_path / "helpers" / "training" / "loop.py", tmp_path / "helpers" / "plots.py"
    loop.write_text("1")
    plots.write_text("1")
    monkeypatch.setattr(sweep, "ROOT", tmp_path)
    before = sweep.code_now()
    plots.write_text("2")
    assert sweep.code_now() == before
    loop.write_text("2")
    assert sweep.code_now() != before
