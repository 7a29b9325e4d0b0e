"""What a sweep keeps. Its processes import this file: it needs little."""

from pathlib import Path

import pandas as pd
import pytest

from benchmarks import sweep
from helpers import results
from helpers.training import jobs


@pytest.mark.rotating
def test_what_a_sweep_has_done_is_kept_until_the_code_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "DONE", tmp_path / "sweeps")
    monkeypatch.setattr(results, "save", lambda name, rows, command: None)
    monkeypatch.setattr(sweep, "code_now", lambda: "one")
    job = sweep.Job("none", _row, (3, 5))
    assert sweep.sweep("made", [job])["loss"].tolist() == [3, 5]
    _row(7).to_csv(tmp_path / "sweeps" / "made-one" / "none-5.csv", index=False)
    assert sweep.sweep("made", [job])["loss"].tolist() == [3, 7]
    monkeypatch.setattr(sweep, "code_now", lambda: "two")
    assert sweep.sweep("made", [job])["loss"].tolist() == [3, 5]


def _row(seed: int) -> pd.DataFrame:
    return pd.DataFrame([{"encoding": "none", "length": 8, "seed": seed, "loss": float(seed)}])


def test_code_that_trains_counts_and_other_code_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "training").mkdir()
    loop, book = tmp_path / "training" / "loop.py", tmp_path / "book.py"
    loop.write_text("1")
    book.write_text("1")
    monkeypatch.setattr(jobs, "HELPERS", tmp_path)
    before = sweep.code_now()
    book.write_text("2")
    assert sweep.code_now() == before
    loop.write_text("2")
    assert sweep.code_now() != before
