"""The one command for a machine with a GPU: tried on the CPU, its times kept, its failures told."""

import json
import sys
import time
from pathlib import Path

import pytest

from benchmarks import gpu
from benchmarks.gpu import Part


def test_a_dry_run_on_a_cpu_writes_its_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without unit 08, which test_learner.py runs dry and test_full_profile.py times."""
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "dry")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setattr(gpu, "DRY", True)
    monkeypatch.setattr(sys, "argv", ["gpu", "--out", str(tmp_path)])
    chosen = gpu.parts(tmp_path)[:2]
    monkeypatch.setattr(gpu, "parts", lambda _out: chosen)
    assert gpu.main() == 0
    made = {path.stem: json.loads(path.read_text()) for path in tmp_path.iterdir()}
    assert set(made) == {"gpu", "mini_bert_forms_cpu"}
    assert all(each["machine"]["torch"] and each["machine"]["device"] for each in made.values())
    rows = made["gpu"]["rows"]
    assert [row["part"] for row in rows] == ["tests", "forms of a step"]
    assert " passed" in rows[0]["last line"] and "skipped" not in rows[0]["last line"]
    forms = {row["name"]: row for row in made["mini_bert_forms_cpu"]["rows"]}
    assert {"ours, eager", "ours, fused AdamW", "ours, fused AdamW, compiled"} <= set(forms)
    assert all(row["utilisation"] > 0 for row in forms.values())


def test_all_parts_together_take_twenty_minutes_at_most(tmp_path: Path) -> None:
    assert sum(part.seconds for part in gpu.parts(tmp_path)) <= 20 * 60


def test_a_part_that_takes_too_long_is_stopped_and_one_that_fails_is_told() -> None:
    begun = time.perf_counter()
    row = gpu.run(Part("slow", 0.5, ("timeit", "-n1", "-r1", "import time; time.sleep(60)")))
    assert time.perf_counter() - begun < 30
    assert (row["outcome"], row["last line"]) == ("stopped", "its 0.5 s were up")
    row = gpu.run(Part("broken", 60, ("no_such_module",)))
    assert row["outcome"] == "failed" and "no_such_module" in row["last line"]


def test_without_a_gpu_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gpu, "DEVICE", "cpu")
    assert gpu.main() == 1
    assert "no CUDA" in capsys.readouterr().out
