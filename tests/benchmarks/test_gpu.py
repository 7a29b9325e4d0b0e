"""The one command for a machine with a GPU: tried on the CPU, its times kept, its failures told."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import gpu
from benchmarks.gpu import Part
from tests.common import ROOT
from tests.tiers import NIGHTLY


@pytest.mark.rotating
def test_a_dry_run_on_a_cpu_writes_its_records(
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
    assert all(each["machine"]["torch"] and each["machine"]["device"] for each in made.values())
    rows = made["gpu"]["rows"]
    parts = ["tests", "forms of a step", "forms of a sum", "full profile"]
    assert [row["part"] for row in rows] == parts[: len(chosen)]
    assert all(row["outcome"] == "done" for row in rows)
    assert " passed" in rows[0]["last line"] and "skipped" not in rows[0]["last line"]
    forms = {row["name"]: row for row in made["mini_bert_forms_cpu"]["rows"]}
    assert {"ours, eager", "ours, fused AdamW", "ours, fused AdamW, compiled"} <= set(forms)
    assert all(row["utilisation"] > 0 for row in forms.values())
    if not NIGHTLY:
        return
    cells, curves = (made[f"full_{name}_cpu"]["rows"] for name in ("profile", "curves"))
    assert sum(row["seconds"] for row in cells) > 1
    assert {row["run"] for row in curves} == {"learned", "none"}
    assert "in all on cpu" in rows[3]["last line"]


@pytest.mark.rotating
def test_a_dry_run_tries_something_of_each_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIER", raising=False)  # make gpu belongs to no tier
    words = ["pytest", "--collect-only", "-q", "-k", gpu.FEW, *gpu.TESTS]
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True)
    lines = done.stdout.splitlines()  # "tests/training/test_training.py: 2"
    assert {line.partition(":")[0] for line in lines if line.startswith("tests/")} == {*gpu.TESTS}


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
