"""Commands that measure: each is tried with little of all, and measures what it says."""

import json
import os
import sys
import time
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
import torch

from benchmarks import (
    bert_seeds_study,
    generation,
    gpu,
    mini_bert,
    mini_bert_forms,
    relative_attention,
    sweep,
    timing,
)
from benchmarks.gpu import Part
from benchmarks.relative_steps import DEVICE
from helpers import results
from tests.tiers import NIGHTLY


def _sleeper(duration: float, parent: int) -> timing.Step:
    assert os.getpid() != parent
    return partial(time.sleep, duration)


def test_each_step_is_timed_in_a_process_of_its_own() -> None:
    makers = {name: partial(_sleeper, s, os.getpid()) for name, s in (("a", 0.02), ("b", 0.2))}
    found = timing.apart(makers, 0)
    assert 0.02 <= found["a"] < found["b"] and found["b"] >= 0.2  # a busy machine takes longer


def test_memory_is_the_most_held_at_once() -> None:
    def step() -> None:
        first = torch.zeros(1000)  # 4,000 bytes
        second = torch.zeros(3000)
        del first
        third = torch.zeros(500)
        del second, third

    if DEVICE == "cpu":
        assert relative_attention.peak_memory(step) == 16_000


def test_what_a_step_of_the_mini_bert_asks_for_is_what_the_formula_says() -> None:
    """Forward, and twice as much backward; a multiplication and an addition for each weight."""
    size = mini_bert.SIZE
    width, words = size.d_model, mini_bert.ROWS * size.max_len
    masked = mini_bert.draws()().places.numel()
    layer = words * 12 * width**2 + 2 * words * size.max_len * width  # weights; scores and sums
    head = masked * (width**2 + width * size.vocab_size)
    formula = 3 * 2 * (size.num_layers * layer + head)
    found = mini_bert_forms.flops(mini_bert_forms.ours(mini_bert_forms.plain))
    assert found == pytest.approx(formula, rel=0.02)


@pytest.mark.rotating
def test_generation_is_measured_beside_both_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = generation
    monkeypatch.setattr(bench, "SECONDS", 0.0)
    table = bench.measure(("yarn", "dynamic_ntk" + bench.ANEW), lengths=(12,))
    assert len(table) == 2 * (1 + len(bench.PEERS)) and (table["seconds"] > 0).all()
    # Keys and values of each layer in float32, for each text of the batch.
    assert (table["bytes"] == 2 * 4 * bench.D * bench.L * bench.B).all()


@pytest.mark.rotating
def test_a_dry_run_on_a_cpu_writes_the_records_of_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "dry")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setattr(gpu, "DRY", True)
    monkeypatch.setattr(sys, "argv", ["gpu", "--out", str(tmp_path)])
    chosen = gpu.parts(tmp_path)[: None if NIGHTLY else 3]  # a unit from end to end takes long
    monkeypatch.setattr(gpu, "parts", lambda _out: chosen)
    assert gpu.main() == 0
    made = {path.stem: json.loads(path.read_text()) for path in tmp_path.iterdir()}
    of_unit = {"full_profile_cpu", "full_curves_cpu"} if NIGHTLY else set()
    assert set(made) == {"gpu", "mini_bert_forms_cpu", "relative_forms_cpu"} | of_unit
    rows = made["gpu"]["rows"]
    assert [row["outcome"] for row in rows] == ["done"] * len(chosen)
    assert " passed" in rows[0]["last line"] and "skipped" not in rows[0]["last line"]
    forms = {row["name"]: row for row in made["mini_bert_forms_cpu"]["rows"]}
    assert {"ours, eager", "ours, fused AdamW", "ours, fused AdamW, compiled"} <= set(forms)
    assert all(row["utilisation"] > 0 for row in forms.values())


def test_a_part_that_takes_too_long_is_stopped_and_one_that_fails_is_told() -> None:
    row = gpu.run(Part("slow", 0.5, ("timeit", "-n1", "-r1", "import time; time.sleep(60)")))
    assert (row["outcome"], row["last line"]) == ("stopped", "its 0.5 s were up")
    row = gpu.run(Part("broken", 60, ("no_such_module",)))
    assert row["outcome"] == "failed" and "no_such_module" in row["last line"]


@pytest.mark.rotating
def test_a_dry_run_of_unit_08_with_another_seed_finds_everything() -> None:
    found = bert_seeds_study.run(1, "dry")
    assert set(found) == set(results.load("bert_seeds").table.columns)


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
