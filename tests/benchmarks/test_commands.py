"""Commands that measure: each is tried with little of all, and measures what it says."""

import ast
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
import torch
from torch import Tensor

from benchmarks import (
    bert_seeds_study,
    full_profile,
    generation,
    gpu,
    mini_bert,
    mini_bert_forms,
    relative_attention,
    relative_logits,
    timing,
)
from benchmarks.gpu import Part
from benchmarks.relative_steps import CLIPPED_FLEX, DEVICE
from helpers import results, runtime
from tests.common import ROOT
from tests.tiers import NIGHTLY


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


def test_flex_is_compiled_anew_at_each_length(monkeypatch: pytest.MonkeyPatch) -> None:
    bench, made = relative_attention, list[list[Tensor]]()

    def backend(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., Any]:
        made.append(inputs)
        return graph.forward

    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend=backend))
    monkeypatch.setattr(relative_logits, "flex", lambda q, k, v, table: q + k + v + table.sum())
    monkeypatch.setattr(bench, "FORMS", ["flex", CLIPPED_FLEX])
    monkeypatch.setattr(bench, "SECONDS", 0.0)
    rows = bench.measure(bench.FORMS, range(20, 25))
    assert len(made) == len(rows) == 10 and all("seconds" in row for row in rows)


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
    parts = gpu.parts(tmp_path)  # of which a unit from end to end takes long
    chosen = [part for part in parts if NIGHTLY or part.name != "full profile"]
    monkeypatch.setattr(gpu, "parts", lambda _out: chosen)
    assert gpu.main() == 0
    made = {path.stem: json.loads(path.read_text()) for path in tmp_path.iterdir()}
    of_unit = {"full_profile_cpu", "full_curves_cpu"} if NIGHTLY else set()
    forms = {"mini_bert_forms_cpu", "bert_sizes_cpu", "relative_forms_cpu"}
    assert set(made) == {"gpu"} | forms | of_unit
    first, *rows = made["gpu"]["rows"]
    assert first["part"] == "versions"
    assert [row["outcome"] for row in rows] == ["done"] * len(chosen)
    (last,) = (row["last line"] for row in rows if row["part"] == "tests")
    assert " passed" in last and "skipped" not in last
    steps = [
        row for name in ("mini_bert_forms", "bert_sizes") for row in made[f"{name}_cpu"]["rows"]
    ]
    names = {row["name"] for row in steps}
    assert {"ours, as `train` runs it", "ours, eager", "ours, fused AdamW, compiled"} <= names
    assert {f"{whose}, large, compiled" for whose in ("ours", "transformers")} <= names
    assert all(row["utilisation"] > 0 and not row["error"] for row in steps)
    of_sizes = [row["name"] for row in made["bert_sizes_cpu"]["rows"]]
    assert all("compiled" in name for name in of_sizes[4:]) and len(of_sizes) == 8  # they take long


def test_the_losses_of_a_full_profile_are_in_variables_of_the_unit() -> None:
    unit = ROOT / "solutions" / full_profile.UNIT / f"{full_profile.UNIT}.ipynb"
    cells = nbformat.read(unit, as_version=4).cells
    code = "\n".join(each.source for each in cells if each.cell_type == "code")
    has = {each.id for each in ast.walk(ast.parse(code)) if isinstance(each, ast.Name)}
    names = [
        each for each in ast.walk(ast.parse(full_profile.CURVES)) if isinstance(each, ast.Name)
    ]
    own = {each.id for each in names if isinstance(each.ctx, ast.Store)} | {"json", "print"}
    assert {"learned_curve", "smooth"} <= {each.id for each in names} - own <= has


def test_what_was_measured_stays_where_a_part_or_a_form_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> timing.Step:
        raise RuntimeError("no kernel\nand more")

    tables: list[pd.DataFrame] = []
    made = {"a": mini_bert.feeding, "ours, broken": broken, "b": mini_bert.feeding}
    monkeypatch.setattr(mini_bert_forms, "PRODUCT", 64)
    rows = mini_bert_forms.measured(made, 1, 1, tables.append).set_index("name")
    assert [len(table) for table in tables] == [1, 2, 3, 3]
    assert rows["error"].tolist() == ["", "RuntimeError: no kernel", ""]
    assert rows["tokens_per_second"].isna().tolist() == [False, True, False]

    parts = [Part("bad", 60, ("no_such_module",)), Part("good", 60, ("timeit", "-n1", "-r1", "1"))]
    monkeypatch.setattr(gpu, "parts", lambda _out: parts)
    monkeypatch.setattr(gpu, "DRY", True)
    monkeypatch.setattr(sys, "argv", ["gpu", "--out", str(tmp_path)])
    assert gpu.main() == 1
    _, bad, good = json.loads((tmp_path / "gpu.json").read_text())["rows"]
    assert (bad["outcome"], good["outcome"]) == ("failed", "done")
    assert "no_such_module" in bad["last line"]


def test_all_parts_together_take_seven_minutes_and_the_first_less_than_three() -> None:
    limits = [part.seconds for part in gpu.parts(Path())]
    assert sum(limits) <= 7 * 60 and limits[0] <= 3 * 60


def test_versions_that_are_not_the_locked_ones_are_named() -> None:
    row = gpu.versions(f"# comment\npandas==0.1\nno-such-thing==2.0\npytest=={pytest.__version__}")
    assert row["outcome"] == "others than locked"
    assert (
        f"pandas {pd.__version__} (lock: 0.1), no-such-thing none (lock: 2.0)" == row["last line"]
    )


def test_a_driver_that_is_too_old_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def init() -> None:
        raise RuntimeError("The NVIDIA driver on your system is too old (found version 11040).\nx")

    monkeypatch.setattr(torch.cuda, "init", init)
    monkeypatch.setattr(gpu, "DRY", False)
    assert gpu.main() == 1
    assert "has no GPU here: The NVIDIA driver on your system is too old" in capsys.readouterr().out
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "✗ the NVIDIA GPU: The NVIDIA driver on your system is too old" in runtime.check()


def test_a_part_that_takes_too_long_is_stopped_and_says_which_tests_had_failed() -> None:
    slow = "print('a.py::one FAILED [ 1%]', 'b'); import time; time.sleep(60)"
    row = gpu.run(Part("slow", 2, ("timeit", "-n1", "-r1", slow)))
    assert (row["outcome"], row["last line"]) == (
        "stopped", "a.py::one FAILED [ 1%] b; its 2 s were up"
    )  # fmt: skip


@pytest.mark.rotating
def test_a_dry_run_of_unit_08_with_another_seed_finds_everything() -> None:
    found = bert_seeds_study.run(1, "dry")
    assert set(found) == set(results.load("bert_seeds").table.columns)
