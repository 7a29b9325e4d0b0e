"""The benchmark measures what it says, and its targets can be missed."""

import itertools

import pandas as pd
import pytest
import torch

from benchmarks import relative_attention as bench
from benchmarks.relative_steps import DEVICE


def test_peak_memory_is_the_most_held_at_once() -> None:
    def step() -> None:
        first = torch.zeros(1000)  # 4,000 bytes
        second = torch.zeros(3000)
        del first
        third = torch.zeros(500)
        del second, third

    if DEVICE == "cpu":
        assert bench.peak_memory(step) == 16_000


def test_every_form_and_module_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "SECONDS", 0.0)
    groups = [bench.FORMS, *bench.MODULES]
    rows = pd.DataFrame([row for names in groups for row in bench.measure(names, [16])])
    assert set(rows.name) == {*bench.FORMS, *itertools.chain(*bench.MODULES)}
    assert (rows.bytes > 0).all() and (rows.seconds > 0).all()


def test_targets_can_be_met_and_missed() -> None:
    names = [("form", name) for name in bench.FORMS]
    names += [("module", name) for name in itertools.chain(*bench.MODULES)]
    rows = [
        {"group": group, "name": name, "T": 512, "bytes": 100, "seconds": 1.0}
        for group, name in names
    ]
    table = pd.DataFrame(rows)
    fitted = pd.DataFrame({"T²·d": 0.0}, index=["ours: shaw_keys", "ours: huang"])
    missed = [line for line in bench.targets(table, fitted) if line.startswith("missed")]
    assert len(missed) == 2 and all("per_pair" in line for line in missed)
    table.loc[table.name == "per_pair", "bytes"] = 2000
    assert not [line for line in bench.targets(table, fitted) if line.startswith("missed")]
    table.loc[table.name == "shaw", "seconds"] = 1.06
    assert len([line for line in bench.targets(table, fitted) if "missed" in line]) == 1
